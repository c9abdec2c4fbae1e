#include "access/issued_tokens.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jwt_signer.h"

namespace pi_mcp::access {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using test::SigningKey;
using testing::ElementsAre;
using testing::Ne;
using What = TokenFound::What;

constexpr std::int64_t now_s = 1'800'000'000;
constexpr EpochMs now{now_s * 1000};
const TimePoint start{};

OAuthRules rules(const std::string& scopes = R"({"mcp":{},"docs":{"servers":["docs"]}})",
                 const std::string& issuer = "https://sso.example") {
  const auto read =
      OAuthRules::read(R"({"http":{"oauth":{"resource":"https://gw.example","issuers":[")" +
                       issuer + R"("],"scopes":)" + scopes + "}}}");
  return read && *read ? **read : OAuthRules();
}

class IssuedTokensTest : public testing::Test {
 protected:
  IssuedTokensTest() { publish(key, "one"); }

  void publish(const SigningKey& now_used, const std::string& id) {
    KeyCache& cache = tokens.keys().begin()->second;
    cache.begin();
    const std::string set = test::key_set_text({now_used.jwk("\"kid\":\"" + id + "\"")});
    cache.succeed(KeySet::parse(set).value_or(KeySet()), std::nullopt, at);
  }
  static std::string claims(const std::string& more = R"("scope":"mcp")",
                            std::int64_t expires = now_s + 600) {
    return R"({"iss":"https://sso.example","sub":"ada","aud":"https://gw.example","client_id":)"
           R"("c","exp":)" +
           std::to_string(expires) + "," + more + "}";
  }
  static std::string token(const std::string& text = claims(), const char* id = "one") {
    return key.sign({{"alg", "ES256"}, {"kid", id}}, text);
  }
  TokenFound found(const std::string& text, std::int64_t later_s = 0) {
    return tokens.find(text, EpochMs{now.value + later_s * 1000}, at);
  }
  Principal who(const std::string& text) {
    const TokenFound somebody = found(token(text));
    return somebody.principal ? *somebody.principal : Principal();
  }
  TokenFault fault(const std::string& text) {
    const TokenFound refused = found(text);
    EXPECT_EQ(refused.what, What::refused);
    return refused.fault;
  }

  static inline const SigningKey key = SigningKey::curve();
  static inline const SigningKey new_key = SigningKey::curve();
  TimePoint at = start;
  int asked = 0;
  IssuedTokens tokens{rules(), [this] {
                        ++asked;
                      }};
};

TEST_F(IssuedTokensTest, a_good_token_is_somebody_until_it_expires) {
  const TokenFound ada = found(token());
  ASSERT_EQ(ada.what, What::good);
  EXPECT_EQ(ada.principal->name, "ada at https://sso.example");
  EXPECT_THAT(ada.principal->grants, ElementsAre(Grant()));
  EXPECT_EQ(ada.principal->expires, EpochMs{(now_s + 660) * 1000});
  EXPECT_EQ(found(token(), 659).what, What::good);
  EXPECT_EQ(found(token(), 660).fault, TokenFault::expired) << "one that is known";
  EXPECT_EQ(fault(token(claims(R"("scope":"mcp")", now_s - 60))), TokenFault::expired);
}

TEST_F(IssuedTokensTest, whatever_is_wrong_with_a_token_it_lets_nobody_in) {
  EXPECT_EQ(fault(".."), TokenFault::malformed);
  EXPECT_EQ(fault(test::forged(R"({"alg":"none"})", claims(), "")), TokenFault::algorithm);
  EXPECT_EQ(fault(test::forged(R"({"alg":"HS256","kid":"one"})", claims(), "x")),
            TokenFault::algorithm);
  EXPECT_EQ(fault(token(R"({"iss":"https://evil.example","sub":"s","exp":1800000600})")),
            TokenFault::issuer);
  EXPECT_EQ(fault(token(R"({"iss":"https://sso.example/","sub":"s","exp":1800000600})")),
            TokenFault::issuer);
  EXPECT_EQ(fault(token(R"({"iss":"https://sso.example","sub":"s","aud":"https://other.example",)"
                        R"("scope":"mcp","exp":1800000600})")),
            TokenFault::audience);
  EXPECT_EQ(fault(token(claims(R"("scope":"mcp","nbf":1800000100)"))), TokenFault::early);
  EXPECT_EQ(fault(token(claims(R"("scope":"openid")"))), TokenFault::scope);
  EXPECT_EQ(fault(new_key.sign({{"alg", "ES256"}, {"kid", "one"}}, claims())),
            TokenFault::signature);
  EXPECT_EQ(
      fault(
          SigningKey::curve(CJOSE_JWK_EC_P_384).sign({{"alg", "ES384"}, {"kid", "one"}}, claims())),
      TokenFault::unfit_key);
  EXPECT_EQ(fault(token(claims(R"("x":")" + std::string(1'000'000, 'x') + "\""))),
            TokenFault::too_long);
  EXPECT_EQ(asked, 0) << "and costs its issuer nothing";
}

TEST_F(IssuedTokensTest, scopes_count_once_the_signature_is_right) {
  const std::string forged =
      new_key.sign({{"alg", "ES256"}, {"kid", "one"}}, claims(R"("scope":"openid")"));
  EXPECT_EQ(fault(forged), TokenFault::signature);
}

TEST_F(IssuedTokensTest, a_session_is_for_one_client_of_one_person_and_what_it_may_do) {
  const std::string ada = who(claims()).id;
  EXPECT_THAT(ada, Ne(""));
  EXPECT_EQ(who(claims(R"("scope":"mcp","jti":"2")", now_s + 900)).id, ada) << "a newer token";
  EXPECT_EQ(who(claims(R"("scope":"mcp openid")")).id, ada);
  EXPECT_THAT(who(claims(R"("scope":"docs")")).id, Ne(ada));
  EXPECT_THAT(who(claims(R"("scope":"mcp","client_id":"d")")).id, Ne(ada));
  EXPECT_THAT(who(claims(R"("scope":"mcp","sub":"bob")")).id, Ne(ada));
}

TEST_F(IssuedTokensTest, requests_count_by_the_person_whatever_the_client) {
  tokens.replace(rules(R"({"mcp":{"rate":{"perSecond":7}},"docs":{"servers":["docs"]}})"));
  const Principal ada = who(claims());
  const Principal reader = who(claims(R"("scope":"docs","client_id":"d")"));
  EXPECT_EQ(ada.rate.value_or(Rate()).count, 7U);
  EXPECT_EQ(reader.rate, std::nullopt);
  EXPECT_EQ(reader.counted_as(), ada.counted_as());
  EXPECT_THAT(who(claims(R"("scope":"mcp","sub":"bob")")).counted_as(), Ne(ada.counted_as()));
}

TEST_F(IssuedTokensTest, a_token_by_a_new_key_waits_for_it_once) {
  const std::string rotated = new_key.sign({{"alg", "ES256"}, {"kid", "two"}}, claims());
  const std::string unknown = new_key.sign({{"alg", "ES256"}, {"kid", "three"}}, claims());
  const TokenFound waits = found(rotated);
  EXPECT_EQ(waits.what, What::waiting);
  EXPECT_EQ(waits.fault, TokenFault::keys_under_way);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(found(token()).what, What::good) << "nobody else waits";
  publish(new_key, "two");
  EXPECT_EQ(found(rotated).what, What::good);
  at = start + 29s;
  EXPECT_EQ(fault(token()), TokenFault::key) << "by the key that is no longer there, though known";
  EXPECT_EQ(fault(unknown), TokenFault::key);
  EXPECT_EQ(asked, 1);
  at = start + 30s;
  EXPECT_EQ(found(unknown).what, What::waiting);
}

TEST_F(IssuedTokensTest, a_new_key_that_cannot_be_fetched_is_no_fault_of_the_token) {
  const std::string rotated = new_key.sign({{"alg", "ES256"}, {"kid", "two"}}, claims());
  EXPECT_EQ(found(rotated).fault, TokenFault::keys_under_way);
  KeyCache& cache = tokens.keys().begin()->second;
  cache.begin();
  cache.fail(at);
  EXPECT_EQ(found(rotated).what, What::waiting);
  EXPECT_EQ(found(rotated).fault, TokenFault::no_keys);
  EXPECT_EQ(found(token()).what, What::good);
}

TEST_F(IssuedTokensTest, without_keys_nothing_can_be_said) {
  IssuedTokens fresh(rules(), [this] { ++asked; });
  TokenFound waits = fresh.find(token(), now, start);
  EXPECT_EQ(waits.what, What::waiting);
  EXPECT_EQ(waits.fault, TokenFault::keys_under_way);
  KeyCache& cache = fresh.keys().begin()->second;
  cache.begin();
  cache.fail(start);
  waits = fresh.find(token(), now, start);
  EXPECT_EQ(waits.what, What::waiting);
  EXPECT_EQ(waits.fault, TokenFault::no_keys);
  at = start + 26 * 60min;
  EXPECT_EQ(found(token()).what, What::waiting) << "keys that could not be fetched anew for a day";
}

TEST_F(IssuedTokensTest, what_is_under_way_may_go_on_for_a_while) {
  const auto ada = found(token()).principal;
  const auto is_good = [&](std::int64_t later_s) {
    return tokens.is_good(*ada, EpochMs{now.value + later_s * 1000});
  };
  EXPECT_TRUE(is_good(0));
  EXPECT_TRUE(is_good(660 + 599));
  EXPECT_FALSE(is_good(660 + 600));
  EXPECT_FALSE(
      tokens.is_good({.name = "x", .id = {}, .servers = {}, .tools = {}, .expires = {}}, now));
}

TEST_F(IssuedTokensTest, scopes_that_give_something_else_now_count_at_once) {
  const auto before = found(token()).principal;
  EXPECT_TRUE(tokens.replace(rules()));
  EXPECT_TRUE(tokens.is_good(*before, now)) << "nothing has changed";
  EXPECT_TRUE(tokens.replace(rules(R"({"mcp":{"servers":["docs"]}})")));
  EXPECT_FALSE(tokens.is_good(*before, now));
  const auto after = found(token()).principal;
  ASSERT_TRUE(after);
  EXPECT_THAT(after->grants, ElementsAre(Grant{.servers = {"docs"}, .tools = {}}));
  EXPECT_TRUE(tokens.is_good(*after, now));
  EXPECT_FALSE(tokens.replace(rules(R"({"mcp":{}})", "https://other.example")));
  EXPECT_TRUE(tokens.is_good(*after, now));
}

TEST_F(IssuedTokensTest, no_more_tokens_are_known_than_fit) {
  for (std::size_t i = 0; i <= IssuedTokens::known_max; ++i) {
    const std::string text = token(claims(R"("scope":"mcp","n":)" + std::to_string(i)));
    ASSERT_EQ(found(text).what, What::good) << i;
  }
  EXPECT_EQ(found(token()).what, What::good);
}

}  // namespace
}  // namespace pi_mcp::access
