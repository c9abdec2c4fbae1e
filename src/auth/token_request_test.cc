#include "auth/token_request.h"

#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

constexpr EpochMs now{1'700'000'000'000};
constexpr std::int64_t hour_ms = 3'600'000;

// How many hours after now a person has to log in again; nullopt: not known.
std::optional<std::int64_t> login_hours(const std::string& more, const TokenContext& context) {
  http::Answer answer;
  answer.head.status = 200;
  answer.body = R"({"access_token":"at","expires_in":3600)" + more + "}";
  const auto tokens = parse_token_answer(answer, context);
  EXPECT_TRUE(tokens);
  return tokens && tokens->login_ends_at
             ? std::optional((tokens->login_ends_at->value - now.value + hour_ms / 2) / hour_ms)
             : std::nullopt;
}

TEST(TokenRequest, a_login_ends_with_what_renews_it_as_far_as_the_server_says_when) {
  const TokenContext first{
      .requested_scope = "", .old_refresh = "", .old_end = {}, .secrets = {}, .now = now};
  EXPECT_EQ(login_hours("", first), 1) << "nothing renews it";
  EXPECT_EQ(login_hours(R"(,"refresh_token":"r")", first), std::nullopt);
  EXPECT_EQ(login_hours(R"(,"refresh_token":"r","refresh_token_expires_in":7200)", first), 2);
  EXPECT_EQ(login_hours(R"(,"refresh_token":"r","refresh_expires_in":10800)", first), 3);
  EXPECT_EQ(login_hours(R"(,"refresh_token":"r","refresh_expires_in":0)", first), std::nullopt);
}

TEST(TokenRequest, the_end_of_a_refresh_token_that_stays_is_kept) {
  const TokenContext renewal{.requested_scope = "",
                             .old_refresh = "old",
                             .old_end = EpochMs{now.value + 5 * hour_ms},
                             .secrets = {},
                             .now = now};
  EXPECT_EQ(login_hours("", renewal), 5);
  EXPECT_EQ(login_hours(R"(,"refresh_token":"new")", renewal), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::auth
