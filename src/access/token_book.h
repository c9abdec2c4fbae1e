// The text of <agentDir>/mcp-http-tokens.json, version 1: which bearer tokens there are. Of each
// only a digest is in it. Text in, text out; the caller reads and writes the file. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "access/principal.h"
#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::access {

struct TokenRecord {
  std::shared_ptr<const Principal> principal;
  std::string digest;  // SHA-256, hexadecimal digits
  std::string ending;  // the last characters of the token, so that people recognise it
  EpochMs created;
};

constexpr std::string_view token_prefix = "pimcp_";
constexpr std::size_t token_random_bytes = 32;
constexpr std::size_t token_ending_bytes = 4;
constexpr std::size_t token_name_bytes_max = 64;

// Letters, digits, "_", "." and "-": it stands in logs and on command lines.
[[nodiscard]] bool is_token_name(std::string_view name);

// What a token of so much chance looks like: "pimcp_" and base64url.
[[nodiscard]] std::string token_text(std::string_view random_bytes);
[[nodiscard]] TokenRecord record_of(std::string_view token, Principal principal, EpochMs created);

class TokenBook {
 public:
  // A blank text is an empty book. Of a damaged one nothing counts, and problem() says why; of a
  // record that cannot be understood neither it nor any other: what it was to restrict is unknown.
  static TokenBook parse(std::string_view text);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  // In the order of the file.
  [[nodiscard]] const std::vector<TokenRecord>& records() const { return records_; }
  // nullptr: there is none of that name.
  [[nodiscard]] const TokenRecord* named(std::string_view name) const;
  // By the digest of a token. Takes the same time whichever it is, or none.
  [[nodiscard]] const TokenRecord* find(std::string_view digest) const;

 private:
  std::vector<TokenRecord> records_;
  std::string problem_;
};

// Both give the new text; unknown members and comments stay. invalid_argument: the text is damaged,
// or of a newer version; the name is taken. not_found: there is no such token.
Result<std::string> add_token(std::string_view text, const TokenRecord& record);
Result<std::string> remove_token(std::string_view text, std::string_view name);

}  // namespace pi_mcp::access
