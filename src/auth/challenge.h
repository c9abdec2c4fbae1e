// What a server says with WWW-Authenticate (RFC 9110 section 11.6.1). Pure.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::auth {

struct Challenge {
  std::string scheme;                             // lower case
  std::string token68;                            // for schemes such as Negotiate
  std::map<std::string, std::string> parameters;  // names in lower case; the first of a name counts
};

// The challenges of one header line. What cannot be read is passed over up to the next comma: a
// server's slip must not hide the challenge beside it.
std::vector<Challenge> parse_challenges(std::string_view header);

// More challenges of one answer are not looked at; no server sends as many.
constexpr std::size_t challenges_max = 32;

// What a 401 or 403 of an OAuth resource server tells (RFC 6750 section 3, RFC 9728 section 5.1).
struct Demand {
  std::optional<std::string> resource_metadata;  // URL, not checked
  std::optional<std::string> scope;              // separated by spaces
  std::string error;                             // "invalid_token", "insufficient_scope", ...
};

// The demand of the first Bearer (else DPoP) challenge among the header lines; nullopt when there
// is none.
std::optional<Demand> demand_of(std::span<const std::string> headers);

}  // namespace pi_mcp::auth
