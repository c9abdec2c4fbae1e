#include "auth/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ChallengeTest, one_challenge_with_quoted_and_plain_values) {
  const auto all = parse_challenges(
      R"(Bearer realm="mcp \"x\"", error=invalid_token , scope="a b",resource_metadata="https://a/b,c")");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].scheme, "bearer");
  EXPECT_THAT(all[0].parameters,
              ElementsAre(Pair("error", "invalid_token"),
                          Pair("realm", "mcp \"x\""),
                          Pair("resource_metadata", "https://a/b,c"),
                          Pair("scope", "a b")));
}

TEST(ChallengeTest, several_challenges_in_one_header_keep_their_own_parameters) {
  const auto all = parse_challenges(
      R"(Negotiate, Basic realm="x", NTLM TlRMTVNTUAAB==, BEARER Scope = "s", dpop algs="ES256")");
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].scheme, "negotiate");
  EXPECT_THAT(all[1].parameters, ElementsAre(Pair("realm", "x")));
  EXPECT_EQ(all[2].token68, "TlRMTVNTUAAB==");
  EXPECT_THAT(all[3].parameters, ElementsAre(Pair("scope", "s")));
  EXPECT_EQ(all[4].scheme, "dpop");
}

TEST(ChallengeTest, what_cannot_be_read_does_not_hide_the_challenge_beside_it) {
  const auto all = parse_challenges(R"(=x, Basic realm="a" oops "b,c", , Bearer scope="s)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].parameters, ElementsAre(Pair("realm", "a")));
  EXPECT_THAT(all[1].parameters, ElementsAre(Pair("scope", "s")));
}

TEST(ChallengeTest, the_first_parameter_of_a_name_counts) {
  const auto all = parse_challenges("Bearer a=1, A=2");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].parameters, ElementsAre(Pair("a", "1")));
}

TEST(ChallengeTest, a_flood_of_challenges_is_cut) {
  std::string header;
  for (int i = 0; i < 1000; ++i) {
    header += "Basic,";
  }
  EXPECT_EQ(parse_challenges(header).size(), challenges_max);
}

TEST(DemandTest, bearer_is_preferred_wherever_it_stands) {
  const std::vector<std::string> headers = {
      R"(DPoP algs="ES256", resource_metadata="https://d")",
      R"(bearer error="insufficient_scope", scope="mcp:write", resource_metadata="https://b")"};
  const auto demand = demand_of(headers);
  ASSERT_TRUE(demand);
  EXPECT_EQ(demand->resource_metadata, "https://b");
  EXPECT_EQ(demand->scope, "mcp:write");
  EXPECT_EQ(demand->error, "insufficient_scope");
}

TEST(DemandTest, other_schemes_demand_nothing_that_oauth_has) {
  EXPECT_FALSE(demand_of(std::vector<std::string>{R"(Basic realm="x")"}));
  EXPECT_FALSE(demand_of({}));
}

}  // namespace
}  // namespace pi_mcp::auth
