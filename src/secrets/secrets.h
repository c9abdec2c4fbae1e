// Texts without the values that nobody may see. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::secrets {

// Shorter values ("1", "json") are not secrets, and their words occur in every sentence.
constexpr std::size_t secret_bytes_min = 6;

class Secrets {
 public:
  // Values that are too short are left out, and what is known already.
  void add(std::string_view value);
  // User information and query of an address: whole, and each part as written and decoded.
  void add_url(std::string_view url);
  // "Bearer x": the whole and x.
  void add_header(std::string_view value);

  // "***" in the place of each; also where a message was cut ("...") inside of one.
  [[nodiscard]] std::string hidden_in(std::string text) const;

 private:
  std::vector<std::string> values_;  // long ones first: one may be part of another
};

}  // namespace pi_mcp::secrets
