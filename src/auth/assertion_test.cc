#include "auth/assertion.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <memory>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

using Key = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;

std::string pem_of(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<std::size_t>(length));
  BIO_free(bio);
  return pem;
}

std::string decoded(std::string_view part) {
  std::string text = text::replace_all(text::replace_all(part, "-", "+"), "_", "/");
  text.append((4 - text.size() % 4) % 4, '=');
  return base64_decoded(text).value_or("");
}

const AssertionFacts facts{
    .client_id = "client", .audience = "https://as.example", .id = "jti", .now_s = 1000};

TEST(AssertionTest, an_ec_key_signs_with_es256_and_the_claims_of_rfc_7523) {
  const Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const auto assertion = client_assertion(facts, pem_of(key.get()));
  ASSERT_TRUE(assertion) << assertion.error().message();
  const auto parts = text::split(*assertion, '.');
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(decoded(parts[0]), R"({"alg":"ES256","typ":"JWT"})");
  EXPECT_EQ(decoded(parts[1]),
            R"({"iss":"client","sub":"client","aud":"https://as.example","jti":"jti",)"
            R"("iat":1000,"exp":1300})");
  EXPECT_EQ(decoded(parts[2]).size(), 64U);
}

TEST(AssertionTest, an_rsa_key_signs_with_rs256_and_the_signature_holds) {
  const Key key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const auto assertion = client_assertion(facts, pem_of(key.get()));
  ASSERT_TRUE(assertion);
  const auto parts = text::split(*assertion, '.');
  const std::string signature = decoded(parts[2]);
  const std::string signed_text = std::string(parts[0]) + "." + std::string(parts[1]);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ASSERT_EQ(EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key.get()), 1);
  EXPECT_EQ(EVP_DigestVerify(context,
                             reinterpret_cast<const unsigned char*>(signature.data()),
                             signature.size(),
                             reinterpret_cast<const unsigned char*>(signed_text.data()),
                             signed_text.size()),
            1);
  EVP_MD_CTX_free(context);
}

TEST(AssertionTest, what_is_no_usable_key_is_refused_without_being_shown) {
  const Key other_curve(EVP_EC_gen("P-384"), EVP_PKEY_free);
  for (const std::string& text :
       {std::string(), std::string("planted-secret"), pem_of(other_curve.get())}) {
    const auto assertion = client_assertion(facts, text);
    ASSERT_FALSE(assertion);
    EXPECT_EQ(assertion.error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(assertion.error().message().find("planted"), std::string::npos);
  }
}

}  // namespace
}  // namespace pi_mcp::auth
