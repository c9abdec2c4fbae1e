// Public keys and what they have signed (RFC 7515, RFC 7517, RFC 7518), by cjose and OpenSSL. No
// I/O, no clock.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace pi_mcp::access {

class VerifyingKey {
 public:
  // Of a JWK with a public key alone. Null: it is no key, a point that is not on its curve, or
  // OpenSSL has no memory.
  static std::shared_ptr<const VerifyingKey> import(const std::string& jwk);
  VerifyingKey(const VerifyingKey&) = delete;
  VerifyingKey& operator=(const VerifyingKey&) = delete;
  VerifyingKey(VerifyingKey&&) = delete;
  VerifyingKey& operator=(VerifyingKey&&) = delete;
  ~VerifyingKey();

  // Whether it has signed this JWS in its compact form by the algorithm that its header names. The
  // caller has looked at that: it fits this kind of key.
  [[nodiscard]] bool verifies(std::string_view token) const;

 private:
  struct Imported;
  explicit VerifyingKey(std::unique_ptr<Imported> key);
  std::unique_ptr<Imported> key_;
};

}  // namespace pi_mcp::access
