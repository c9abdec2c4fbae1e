#include "access/jwt.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jwt_signer.h"

namespace pi_mcp::access {
namespace {

using test::forged;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t now_s = 1'800'000'000;
constexpr EpochMs now{now_s * 1000};
const std::string good_header = R"({"alg":"RS256","kid":"a"})";
const std::string good_claims =
    R"({"iss":"https://sso.example","sub":"ada","aud":"https://gw.example","exp":1800000600})";

std::string token(const std::string& header, const std::string& claims = good_claims) {
  return forged(header, claims, "signature");
}

std::optional<TokenFault> fault(const std::string& text) {
  const auto read = read_jwt(text);
  return read ? std::nullopt : std::optional(read.error());
}
std::optional<TokenFault> fault_of_header(const std::string& header) {
  return fault(token(header));
}
std::optional<TokenFault> fault_of_claims(const std::string& claims) {
  return fault(token(good_header, claims));
}

TEST(Jwt, says_who_came_and_what_for) {
  const auto read =
      read_jwt(token(R"({"typ":"at+jwt","alg":"PS256","kid":"k 1"})",
                     R"({"iss":"https://sso.example/","sub":"ada","client_id":"c","aud":["x","y"],)"
                     R"("scope":"mcp  mcp:read","exp":1800000600.7,"nbf":1799999999,"iat":18e8})"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->algorithm->name, "PS256");
  EXPECT_EQ(read->key_id, "k 1");
  EXPECT_EQ(read->issuer, "https://sso.example/");
  EXPECT_EQ(read->subject, "ada");
  EXPECT_EQ(read->client, "c");
  EXPECT_THAT(read->audiences, ElementsAre("x", "y"));
  EXPECT_THAT(read->scopes, ElementsAre("mcp", "mcp:read"));
  EXPECT_EQ(read->expires, 1'800'000'600);
  EXPECT_EQ(read->not_before, 1'799'999'999);
  EXPECT_EQ(read->issued, now_s);
  EXPECT_EQ(wrong_time(*read, now), std::nullopt);
}

TEST(Jwt, claims_may_be_spelled_as_large_issuers_do) {
  const auto entra = read_jwt(
      token(good_header,
            R"({"iss":"i","sub":"s","azp":"z","aud":"api://a b","scp":"a b","exp":1800000600})"));
  ASSERT_TRUE(entra);
  EXPECT_EQ(entra->client, "z");
  EXPECT_THAT(entra->audiences, ElementsAre("api://a b"));
  EXPECT_THAT(entra->scopes, ElementsAre("a", "b"));
  const auto okta = read_jwt(
      token(good_header, R"({"iss":"i","sub":"s","cid":"c","scp":["a",1,"b"],"exp":1800000600})"));
  ASSERT_TRUE(okta);
  EXPECT_EQ(okta->client, "c");
  EXPECT_THAT(okta->audiences, IsEmpty());
  EXPECT_THAT(okta->scopes, ElementsAre("a", "b"));
}

TEST(Jwt, an_algorithm_without_a_public_key_is_none) {
  for (const char* name : {"none",
                           "None",
                           "NONE",
                           "",
                           "HS256",
                           "HS384",
                           "HS512",
                           "RS1",
                           "rs256",
                           "ES256K",
                           "ES512",
                           "PS512",
                           "EdDSA",
                           "RSA-OAEP",
                           "dir"}) {
    EXPECT_EQ(fault_of_header(std::string(R"({"alg":")") + name + "\"}"), TokenFault::algorithm)
        << name;
  }
  EXPECT_EQ(fault_of_header("{}"), TokenFault::algorithm);
  EXPECT_EQ(fault_of_header(R"({"alg":null})"), TokenFault::algorithm);
  EXPECT_EQ(fault_of_header(R"({"alg":["RS256"]})"), TokenFault::algorithm);
}

TEST(Jwt, a_header_that_could_be_read_in_two_ways_is_none) {
  EXPECT_EQ(fault_of_header(R"({"alg":"none","alg":"RS256"})"), TokenFault::malformed);
  EXPECT_EQ(fault_of_header(R"({"alg":"RS256","\u0061lg":"none"})"), TokenFault::malformed);
  std::string many = R"({"alg":"RS256")";
  for (int i = 0; i < 40; ++i) {
    many += ",\"" + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(fault_of_header(many + "}"), TokenFault::malformed);
  EXPECT_EQ(fault_of_header(R"({"alg":"RS256","kid":1})"), TokenFault::malformed);
  EXPECT_EQ(fault_of_header(R"({"alg":"RS256","kid":"a\nb"})"), TokenFault::malformed);
}

TEST(Jwt, what_is_made_for_something_else_is_refused) {
  for (const char* type : {"JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"}) {
    EXPECT_EQ(fault_of_header(std::string(R"({"alg":"RS256","typ":")") + type + "\"}"),
              std::nullopt)
        << type;
  }
  for (const char* type : {"\"dpop+jwt\"", "\"logout+jwt\"", "\"id+jwt\"", "\"\"", "1", "null"}) {
    EXPECT_EQ(fault_of_header(std::string(R"({"alg":"RS256","typ":)") + type + "}"),
              TokenFault::type)
        << type;
  }
  EXPECT_EQ(fault_of_header(R"({"alg":"RS256","crit":["exp"]})"), TokenFault::critical);
  EXPECT_EQ(fault_of_claims(R"({"iss":"i","sub":"s","exp":1800000600,"cnf":{"jkt":"x"}})"),
            TokenFault::bound);
}

TEST(Jwt, three_parts_of_base64url_with_objects_in_them_are_one) {
  const std::string good = token(good_header);
  EXPECT_EQ(fault(good), std::nullopt);
  EXPECT_TRUE(looks_like_jwt(good));
  EXPECT_TRUE(looks_like_jwt(".."));
  EXPECT_FALSE(looks_like_jwt("pimcp_abc"));
  EXPECT_FALSE(looks_like_jwt("a.b.c.d.e")) << "encrypted";
  for (const std::string& text : {std::string(),
                                  std::string(".."),
                                  std::string("a.b"),
                                  good + ".x",
                                  "=" + good,
                                  " " + good,
                                  "e30K." + good,
                                  token("[]"),
                                  token("\"\""),
                                  token("{"),
                                  token("\xff"),
                                  token(std::string(100, '['))}) {
    EXPECT_EQ(fault(text), TokenFault::malformed) << text;
  }
  EXPECT_EQ(fault_of_claims("null"), TokenFault::malformed);
  EXPECT_EQ(fault_of_claims("[1]"), TokenFault::malformed);
  EXPECT_EQ(fault(good.substr(0, good.rfind('.') + 1)), TokenFault::signature);
  EXPECT_EQ(fault(good + "="), TokenFault::signature);
  EXPECT_EQ(fault(forged(R"({"alg":"ES256"})", good_claims, std::string(63, 'x'))),
            TokenFault::signature);
  EXPECT_EQ(fault(forged(R"({"alg":"ES256"})", good_claims, std::string(64, 'x'))), std::nullopt);
  EXPECT_EQ(fault(forged(R"({"alg":"ES384"})", good_claims, std::string(64, 'x'))),
            TokenFault::signature);
}

TEST(Jwt, a_megabyte_of_claims_is_not_looked_at) {
  const std::string many =
      R"({"iss":"i","sub":"s","exp":1800000600,"x":")" + std::string(1'000'000, 'x') + "\"}";
  EXPECT_EQ(fault_of_claims(many), TokenFault::too_long);
  std::string scopes = R"({"iss":"i","sub":"s","exp":1800000600,"scope":")";
  for (int i = 0; i < 5'000; ++i) {
    scopes += "a ";
  }
  const auto read = read_jwt(token(good_header, scopes + "\"}"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->scopes.size(), 200U);
}

TEST(Jwt, claims_that_have_to_be_there_are_there_and_of_their_types) {
  for (const char* claims : {R"({"sub":"s","exp":1800000600})",
                             R"({"iss":"i","exp":1800000600})",
                             R"({"iss":"i","sub":"s"})",
                             R"({"iss":1,"sub":"s","exp":1800000600})",
                             R"({"iss":"i","sub":["s"],"exp":1800000600})",
                             R"({"iss":"i","sub":"","exp":1800000600})",
                             R"({"iss":"i","sub":"a\u001b[2Jb","exp":1800000600})",
                             R"({"iss":"i","sub":"s","exp":"1800000600"})",
                             R"({"iss":"i","sub":"s","exp":1e300})",
                             R"({"iss":"i","sub":"s","exp":-1e300})",
                             R"({"iss":"i","sub":"s","exp":1800000600,"nbf":"x"})",
                             R"({"iss":"i","sub":"s","exp":1800000600,"iat":null})",
                             R"({"iss":"i","sub":"s","exp":1800000600,"azp":"a\nb"})"}) {
    EXPECT_EQ(fault_of_claims(claims), TokenFault::claims) << claims;
  }
  EXPECT_EQ(
      fault_of_claims(R"({"iss":"i","exp":1800000600,"sub":")" + std::string(300, 's') + "\"}"),
      TokenFault::claims);
}

TEST(Jwt, clocks_may_differ_by_a_minute) {
  Jwt read;
  read.expires = now_s - 59;
  EXPECT_EQ(wrong_time(read, now), std::nullopt);
  read.expires = now_s - 60;
  EXPECT_EQ(wrong_time(read, now), TokenFault::expired);
  read.expires = now_s + 600;
  read.not_before = now_s + 60;
  EXPECT_EQ(wrong_time(read, now), std::nullopt);
  read.not_before = now_s + 61;
  EXPECT_EQ(wrong_time(read, now), TokenFault::early);
  read.not_before = std::nullopt;
  read.issued = now_s + 61;
  EXPECT_EQ(wrong_time(read, now), TokenFault::early);
}

TEST(Jwt, every_fault_has_words_that_may_stand_in_a_header) {
  for (int i = 0; i <= static_cast<int>(TokenFault::keys_under_way); ++i) {
    const std::string_view text = fault_text(static_cast<TokenFault>(i));
    EXPECT_FALSE(text.empty()) << i;
    EXPECT_EQ(text.find_first_of("\"\\\n"), std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::access
