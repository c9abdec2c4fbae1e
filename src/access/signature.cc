#include "access/signature.h"

#include <cjose/cjose.h>

#include <utility>

#include "io/net/openssl.h"

namespace pi_mcp::access {
namespace {

struct Release {
  void operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }
  void operator()(cjose_jws_t* text) const { cjose_jws_release(text); }
};

}  // namespace

struct VerifyingKey::Imported {
  std::unique_ptr<cjose_jwk_t, Release> key;
};

VerifyingKey::VerifyingKey(std::unique_ptr<Imported> key) : key_(std::move(key)) {}
VerifyingKey::~VerifyingKey() = default;

std::shared_ptr<const VerifyingKey> VerifyingKey::import(const std::string& jwk) {
  io::use_openssl_alone();
  auto imported = std::make_unique<Imported>();
  imported->key.reset(cjose_jwk_import(jwk.data(), jwk.size(), nullptr));
  return imported->key ? std::shared_ptr<const VerifyingKey>(new VerifyingKey(std::move(imported)))
                       : nullptr;
}

bool VerifyingKey::verifies(std::string_view token) const {
  const std::unique_ptr<cjose_jws_t, Release> text(
      cjose_jws_import(token.data(), token.size(), nullptr));
  return text && cjose_jws_verify(text.get(), key_->key.get(), nullptr);
}

}  // namespace pi_mcp::access
