// <agentDir>/mcp-trust.json: what the user trusts and allows for good. The text; what it means is
// in config/.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::tool {

// A write takes milliseconds; whoever holds the lock longer than this hangs.
constexpr Milliseconds trust_lock_wait_max{2'000};
constexpr std::size_t trust_file_bytes_max = std::size_t{8} << 20U;

// Calls block for the time the file system takes. Errors name the file.
class TrustFile {
 public:
  explicit TrustFile(std::string_view agent_dir) : path_(path_in(agent_dir)) {}

  [[nodiscard]] static std::string path_in(std::string_view agent_dir) {
    return std::string(agent_dir) + "/mcp-trust.json";
  }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Empty when there is no file.
  [[nodiscard]] Result<std::string> read() const;

  // Replaces the text under a lock, atomically, readable by the user alone. An error of `change`
  // leaves the file as it is and is returned; an unchanged text leaves it too, without an error.
  using Change = std::function<Result<std::string>(const std::string& text)>;
  [[nodiscard]] Result<void> update(const Change& change) const;

 private:
  std::string path_;
};

}  // namespace pi_mcp::tool
