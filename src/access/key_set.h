// The public keys of an issuer (JWKS, RFC 7517 section 5), and which of them a token means. Pure.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "access/jwt.h"
#include "access/signature.h"
#include "base/result.h"

namespace pi_mcp::access {

constexpr std::size_t key_set_bytes_max = std::size_t{256} << 10U;
constexpr std::size_t key_set_keys_max = 100;

class KeySet {
 public:
  // Keys for other uses or algorithms are left out. protocol: it is no key set, too large, or has
  // no key that could be used.
  static Result<KeySet> parse(std::string_view text);

  // The key that has to have signed it. key, unfit_key, several_keys.
  [[nodiscard]] tl::expected<const VerifyingKey*, TokenFault> choose(const Jwt& token) const;
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  struct Key {
    std::string id;         // empty: none
    std::string algorithm;  // it is for this one alone; empty: any of its kind
    KeyKind kind = KeyKind::rsa;
    std::shared_ptr<const VerifyingKey> key;
  };
  std::vector<Key> keys_;
};

}  // namespace pi_mcp::access
