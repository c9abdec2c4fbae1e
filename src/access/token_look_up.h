// Whose a bearer token is: what the gate asks.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "access/principal.h"
#include "base/time.h"

namespace pi_mcp::access {

struct TokenFound {
  enum class What : std::uint8_t { good, expired, unknown };  // unknown: or revoked
  What what = What::unknown;
  std::shared_ptr<const Principal> principal;  // null when unknown
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
};

}  // namespace pi_mcp::access
