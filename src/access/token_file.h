// <agentDir>/mcp-http-tokens.json: the bearer tokens of those who may come over HTTP.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/token_book.h"
#include "access/token_look_up.h"
#include "base/result.h"
#include "base/time.h"
#include "io/files/file.h"

namespace pi_mcp::access {

constexpr std::size_t token_file_bytes_max = std::size_t{4} << 20U;

// Calls block for the time the file system takes. Errors name the file. Not to be copied while it
// is looked into: one for each process.
class TokenFile final : public TokenLookUp {
 public:
  // How late a change of the file may be seen.
  static constexpr Milliseconds look_pause{1'000};

  explicit TokenFile(std::string_view agent_dir) : path_(path_in(agent_dir)) {}

  [[nodiscard]] static std::string path_in(std::string_view agent_dir) {
    return std::string(agent_dir) + "/mcp-http-tokens.json";
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  // ---- for `pi-mcp token`; each reads the file

  // Makes a token for this principal (its id is made as well) and gives the text that nobody can be
  // told again. invalid_argument: the name is taken or none; the file is damaged. io.
  [[nodiscard]] Result<std::string> add(Principal principal, EpochMs now) const;
  [[nodiscard]] Result<std::vector<TokenRecord>> list() const;
  // not_found: there is no token of that name.
  [[nodiscard]] Result<void> remove(std::string_view name) const;

  // ---- for a server: read once, and again after each change of the file. A file that cannot be
  // used, which is said in the log, lets nobody in.

  [[nodiscard]] TokenFound find(std::string_view bearer, EpochMs now) override;
  // Whether a principal that came before may go on: streams and sessions outlive what let them in.
  [[nodiscard]] bool is_good(const Principal& principal, EpochMs now);
  // Whether anybody could come with a token.
  [[nodiscard]] bool has_any(EpochMs now);

 private:
  [[nodiscard]] Result<std::string> text() const;
  void look(EpochMs now);
  void read_again();

  std::string path_;
  TokenBook book_;
  std::optional<EpochMs> looked_;
  std::optional<io::FileStamp> stamp_;  // of what book_ was read from
  std::string said_;                    // the last complaint
};

}  // namespace pi_mcp::access
