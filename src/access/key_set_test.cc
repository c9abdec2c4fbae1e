#include "access/key_set.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jwt_signer.h"

namespace pi_mcp::access {
namespace {

using test::key_set_text;
using test::SigningKey;
using testing::HasSubstr;

const std::string claims = R"({"iss":"i","sub":"s","exp":1800000600})";

// Made once: that takes a while.
const SigningKey& rsa() {
  static const SigningKey key = SigningKey::rsa();
  return key;
}
const SigningKey& curve() {
  static const SigningKey key = SigningKey::curve();
  return key;
}
const SigningKey& curve_384() {
  static const SigningKey key = SigningKey::curve(CJOSE_JWK_EC_P_384);
  return key;
}

// "good", or why not.
std::string checked(const std::string& keys, const std::string& token) {
  const Result<KeySet> set = KeySet::parse(keys);
  const auto read = read_jwt(token);
  if (!set || !read) {
    return set ? std::string(fault_text(read.error())) : set.error().message();
  }
  const auto key = set->choose(*read);
  if (!key) {
    return std::string(fault_text(key.error()));
  }
  return (*key)->verifies(token) ? "good" : "wrong";
}

TEST(KeySet, a_key_knows_what_it_has_signed) {
  const std::string set = key_set_text(
      {rsa().jwk(R"("kid":"r")"), curve().jwk(R"("kid":"e")"), curve_384().jwk(R"("kid":"f")")});
  for (const char* algorithm : {"RS256", "RS384", "RS512", "PS256"}) {
    EXPECT_EQ(checked(set, rsa().sign({{"alg", algorithm}, {"kid", "r"}}, claims)), "good")
        << algorithm;
  }
  EXPECT_EQ(checked(set, curve().sign({{"alg", "ES256"}, {"kid", "e"}}, claims)), "good");
  EXPECT_EQ(checked(set, curve_384().sign({{"alg", "ES384"}, {"kid", "f"}}, claims)), "good");
}

TEST(KeySet, nothing_of_what_was_signed_may_be_changed) {
  const std::string set = key_set_text({rsa().jwk(""), curve().jwk("")});
  for (const std::string& token : {rsa().sign({{"alg", "RS256"}}, claims),
                                   rsa().sign({{"alg", "PS256"}}, claims),
                                   curve().sign({{"alg", "ES256"}}, claims)}) {
    ASSERT_EQ(checked(set, token), "good");
    for (std::size_t i = 0; i < token.size(); ++i) {
      std::string changed = token;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      EXPECT_NE(checked(set, changed), "good") << i;
    }
  }
  const std::string other = SigningKey::rsa().sign({{"alg", "RS256"}}, claims);
  EXPECT_EQ(checked(set, other), "wrong");
}

// RFC 8725 section 2.1: the public key as the secret of an HMAC, a key of another kind or curve.
TEST(KeySet, a_key_is_for_algorithms_of_its_kind_alone) {
  const std::string set = key_set_text({rsa().jwk(R"("kid":"r")"), curve().jwk(R"("kid":"e")")});
  const auto unfit = std::string(fault_text(TokenFault::unfit_key));
  EXPECT_EQ(checked(set, curve().sign({{"alg", "ES256"}, {"kid", "r"}}, claims)), unfit);
  EXPECT_EQ(checked(set, rsa().sign({{"alg", "RS256"}, {"kid", "e"}}, claims)), unfit);
  EXPECT_EQ(checked(set, curve_384().sign({{"alg", "ES384"}, {"kid", "e"}}, claims)), unfit);
  const std::string confused =
      test::forged(R"({"alg":"HS256","kid":"r"})", claims, std::string(32, 'x'));
  EXPECT_EQ(checked(set, confused), fault_text(TokenFault::algorithm));
  const std::string for_one =
      key_set_text({rsa().jwk(R"("kid":"r","alg":"RS256")"), curve().jwk(R"("kid":"e")")});
  EXPECT_EQ(checked(for_one, rsa().sign({{"alg", "PS256"}, {"kid", "r"}}, claims)), unfit);
}

TEST(KeySet, a_name_is_needed_where_more_than_one_key_fits) {
  const std::string one = key_set_text({rsa().jwk(R"("kid":"r")"), curve().jwk(R"("kid":"e")")});
  const std::string two = key_set_text({rsa().jwk(R"("kid":"r")"), rsa().jwk(R"("kid":"s")")});
  const std::string twice = key_set_text({curve().jwk(R"("kid":"r")"), rsa().jwk(R"("kid":"r")")});
  const std::string nameless = rsa().sign({{"alg", "RS256"}}, claims);
  EXPECT_EQ(checked(one, nameless), "good");
  EXPECT_EQ(checked(two, nameless), fault_text(TokenFault::several_keys));
  EXPECT_EQ(checked(two, rsa().sign({{"alg", "RS256"}, {"kid", "s"}}, claims)), "good");
  EXPECT_EQ(checked(two, rsa().sign({{"alg", "RS256"}, {"kid", "t"}}, claims)),
            fault_text(TokenFault::key));
  EXPECT_EQ(checked(twice, rsa().sign({{"alg", "RS256"}, {"kid", "r"}}, claims)), "good");
}

TEST(KeySet, keys_that_are_weak_secret_or_for_something_else_are_left_out) {
  const auto size = [](const std::string& key) {
    const Result<KeySet> set = KeySet::parse(key_set_text({key, curve().jwk("")}));
    return set ? set->size() : 0;
  };
  EXPECT_EQ(size(rsa().jwk("")), 2U);
  EXPECT_EQ(size(rsa().jwk(R"("use":"sig","key_ops":["sign","verify"])")), 2U);
  EXPECT_EQ(size(rsa().secret_jwk()), 2U) << "of which only the public half is used";
  for (const std::string& key :
       {rsa().jwk(R"("use":"enc")"),
        rsa().jwk(R"("key_ops":["encrypt"])"),
        SigningKey::rsa(1024).jwk(""),
        SigningKey::curve(CJOSE_JWK_EC_P_521).jwk(""),
        std::string(R"({"kty":"oct","k":"c2VjcmV0"})"),
        std::string(
            R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})"),
        std::string(R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"),
        std::string(R"({"kty":"RSA","n":1,"e":null})"),
        R"({"kty":"RSA","e":"AQAB","n":")" + std::string(100'000, 'x') + "\"}",
        R"({"kty":"EC","crv":"P-256","x":")" + std::string(43, 'A') + R"(","y":")" +
            std::string(43, 'A') + "\"}",
        std::string("{}"),
        std::string("1")}) {
    EXPECT_EQ(size(key), 1U) << key.substr(0, 100);
  }
}

TEST(KeySet, what_is_no_key_set_says_why) {
  const auto problem = [](const std::string& text) {
    const Result<KeySet> set = KeySet::parse(text);
    return set ? "" : set.error().message();
  };
  EXPECT_THAT(problem("<html>"), HasSubstr("no JSON"));
  EXPECT_THAT(problem("[]"), HasSubstr("no list \"keys\""));
  EXPECT_THAT(problem(R"({"keys":{}})"), HasSubstr("no list \"keys\""));
  EXPECT_THAT(problem(R"({"keys":[]})"), HasSubstr("no key that can be used"));
  std::string many = R"({"keys":[{})";
  for (int i = 0; i < 100; ++i) {
    many += ",{}";
  }
  EXPECT_THAT(problem(many + "]}"), HasSubstr("more than 100 keys"));
  EXPECT_THAT(problem(std::string(key_set_bytes_max + 1, ' ')), HasSubstr("no JSON"));
}

}  // namespace
}  // namespace pi_mcp::access
