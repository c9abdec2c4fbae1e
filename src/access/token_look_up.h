// Whose a bearer token is: what the gate asks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "access/jwt.h"
#include "access/principal.h"
#include "base/time.h"

namespace pi_mcp::access {

struct TokenFound {
  // unknown: or revoked. refused: a JWT, see `fault`. waiting: a JWT of which nothing can be said
  // for want of its issuer's keys.
  enum class What : std::uint8_t { good, expired, unknown, refused, waiting };
  What what = What::unknown;
  std::shared_ptr<const Principal> principal;  // null but when good or expired
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  TokenFault fault = {};
};

class TokenLookUp {
 public:
  TokenLookUp() = default;
  TokenLookUp(const TokenLookUp&) = delete;
  TokenLookUp& operator=(const TokenLookUp&) = delete;
  TokenLookUp(TokenLookUp&&) = delete;
  TokenLookUp& operator=(TokenLookUp&&) = delete;
  virtual ~TokenLookUp() = default;

  [[nodiscard]] virtual TokenFound find(std::string_view bearer, EpochMs now) = 0;

  // ---- how a client gets a token by itself for what a request's target names; empty: it cannot

  // For WWW-Authenticate, behind an error.
  [[nodiscard]] virtual std::string challenge(std::string_view /*target*/) const { return {}; }
  // The same where this principal may not use it, and more scopes could help.
  [[nodiscard]] virtual std::string challenge_for_more(const Principal& /*principal*/,
                                                       std::string_view /*target*/) const {
    return {};
  }
  // The metadata of RFC 9728, JSON.
  [[nodiscard]] virtual std::string metadata(std::string_view /*target*/) const { return {}; }
};

}  // namespace pi_mcp::access
