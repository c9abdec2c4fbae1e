#include "auth/assertion.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "io/net/openssl.h"
#include "json/writer.h"

namespace pi_mcp::auth {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// A key with a password cannot be used: nobody is there to be asked.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return -1;
}

Owned<EVP_PKEY> read_key(std::string_view pem) {
  io::use_openssl_alone();
  const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Owned<EVP_PKEY>(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr)
                             : nullptr);
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t length = 0;
  return EVP_PKEY_get_group_name(key, group.data(), group.size(), &length) == 1 &&
         std::string_view(group.data(), length) == "prime256v1";
}

// "ES256", "RS256", or empty.
std::string_view algorithm_of(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "EC") == 1) {
    return is_p256(key) ? "ES256" : "";
  }
  return EVP_PKEY_is_a(key, "RSA") == 1 ? "RS256" : "";
}

std::optional<std::string> sign(EVP_PKEY* key, std::string_view text) {
  const Owned<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t length = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &length, bytes, text.size()) != 1) {
    return std::nullopt;
  }
  std::string signature(length, '\0');
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  if (EVP_DigestSign(context.get(), out, &length, bytes, text.size()) != 1) {
    return std::nullopt;
  }
  signature.resize(length);
  return signature;
}

// JWS has the two numbers at their full width (RFC 7518 section 3.4), OpenSSL gives them as DER.
std::optional<std::string> fixed_width(std::string_view der) {
  constexpr int number_bytes = 32;
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const Owned<ECDSA_SIG> signature(d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
  std::string out(std::size_t{2} * number_bytes, '\0');
  auto* target = reinterpret_cast<unsigned char*>(out.data());
  if (!signature ||
      BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), target, number_bytes) != number_bytes ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), target + number_bytes, number_bytes) !=
          number_bytes) {
    return std::nullopt;
  }
  return out;
}

std::string claims(const AssertionFacts& facts) {
  json::Writer out;
  out.begin_object();
  out.member("iss", facts.client_id).member("sub", facts.client_id);
  out.member("aud", facts.audience).member("jti", facts.id);
  out.member("iat", facts.now_s).member("exp", facts.now_s + assertion_lifetime_s);
  return out.end_object().take();
}

}  // namespace

Result<std::string> client_assertion(const AssertionFacts& facts, std::string_view private_key) {
  const Owned<EVP_PKEY> key = read_key(private_key);
  const std::string_view algorithm = key ? algorithm_of(key.get()) : "";
  if (algorithm.empty()) {
    return fail(ErrorCode::invalid_argument,
                "oauth.privateKey is not an RSA or P-256 key in PEM form without a password");
  }
  json::Writer header;
  header.begin_object().member("alg", algorithm).member("typ", "JWT").end_object();
  const std::string text =
      base64url_encoded(header.text()) + "." + base64url_encoded(claims(facts));
  std::optional<std::string> signature = sign(key.get(), text);
  if (signature && algorithm == "ES256") {
    signature = fixed_width(*signature);
  }
  if (!signature) {
    return fail(ErrorCode::invalid_argument, "oauth.privateKey cannot sign");
  }
  return text + "." + base64url_encoded(*signature);
}

}  // namespace pi_mcp::auth
