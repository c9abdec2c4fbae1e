// Assertions by which a client shows itself with a private key (RFC 7523 section 3; JWS: RFC 7515,
// RFC 7518), signed by OpenSSL. No I/O, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::auth {

struct AssertionFacts {
  std::string client_id;
  std::string audience;    // the issuer of the authorisation server
  std::string id;          // `jti`: never used before
  std::int64_t now_s = 0;  // since 1970
};

// How long an assertion is good for: long enough for clocks that differ a little.
constexpr std::int64_t assertion_lifetime_s = 300;

// A signed JWT: ES256 for an EC key on P-256, RS256 for an RSA key. invalid_argument: the text is
// not such a key in PEM form without a password; nothing of it is repeated.
Result<std::string> client_assertion(const AssertionFacts& facts, std::string_view private_key);

}  // namespace pi_mcp::auth
