// An authorization server's signing keys, for tests: makes keys, their JWKs, and tokens.
#pragma once

#include <cjose/cjose.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "io/net/openssl.h"

namespace pi_mcp::test {

class SigningKey {
 public:
  static SigningKey rsa(std::size_t bits = 2048) {
    io::use_openssl_alone();
    return SigningKey(cjose_jwk_create_RSA_random(bits, nullptr, 0, nullptr));
  }
  static SigningKey curve(cjose_jwk_ec_curve curve = CJOSE_JWK_EC_P_256) {
    io::use_openssl_alone();
    return SigningKey(cjose_jwk_create_EC_random(curve, nullptr));
  }

  // The public key, with these members of JSON in front: R"("kid":"a","alg":"RS256")".
  [[nodiscard]] std::string jwk(std::string_view members) const {
    char* const text = cjose_jwk_to_json(key_.get(), false, nullptr);
    std::string jwk = "{" + std::string(members) + (members.empty() ? "" : ",") + (text + 1);
    std::free(text);
    return jwk;
  }
  // With the private one.
  [[nodiscard]] std::string secret_jwk() const {
    char* const text = cjose_jwk_to_json(key_.get(), true, nullptr);
    std::string jwk = text;
    std::free(text);
    return jwk;
  }

  using Members = std::initializer_list<std::pair<const char*, const char*>>;
  // A token with these members in its header; empty where this kind of key cannot do "alg".
  [[nodiscard]] std::string sign(Members header, std::string_view claims) const {
    cjose_header_t* const made = cjose_header_new(nullptr);
    for (const auto& [name, value] : header) {
      cjose_header_set(made, name, value, nullptr);
    }
    cjose_jws_t* const signed_text =
        cjose_jws_sign(key_.get(),
                       made,
                       reinterpret_cast<const std::uint8_t*>(claims.data()),
                       claims.size(),
                       nullptr);
    const char* text = nullptr;
    std::string token;
    if (signed_text != nullptr && cjose_jws_export(signed_text, &text, nullptr)) {
      token = text;
    }
    cjose_jws_release(signed_text);
    cjose_header_release(made);
    return token;
  }

 private:
  struct Release {
    void operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }
  };
  explicit SigningKey(cjose_jwk_t* key) : key_(key) {}

  std::unique_ptr<cjose_jwk_t, Release> key_;
};

// A token whose signature is these bytes.
inline std::string forged(std::string_view header,
                          std::string_view claims,
                          std::string_view signature) {
  return base64url_encoded(header) + "." + base64url_encoded(claims) + "." +
         base64url_encoded(signature);
}

inline std::string key_set_text(std::initializer_list<std::string> keys) {
  std::string text = "{\"keys\":[";
  for (const std::string& key : keys) {
    text += (text.back() == '[' ? "" : ",") + key;
  }
  return text + "]}";
}

}  // namespace pi_mcp::test
