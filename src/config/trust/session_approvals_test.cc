// Approvals of single sessions: kept for the one that they were given in, not for ever, and nothing
// else of the file changes with them.
#include "config/trust/session_approvals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr EpochMs today{.value = 1'800'000'000'000};

EpochMs later(Milliseconds by) {
  return {.value = today.value + by.count()};
}

std::string with(const std::string& text, const std::string& session, EpochMs at = today) {
  const Result<std::string> after =
      with_session_approval(text, {.session = session, .digest = "d-" + session, .at = at});
  EXPECT_TRUE(after);
  return after.value_or("");
}

TEST(SessionApprovals, are_of_the_session_that_they_were_given_in) {
  const std::string text = with(with("", "one"), "two");
  EXPECT_THAT(*session_approvals(text, "one"), ElementsAre("d-one"));
  EXPECT_THAT(*session_approvals(text, "three"), IsEmpty());
  const Result<std::string> more =
      with_session_approval(text, {.session = "one", .digest = "more", .at = today});
  EXPECT_THAT(*session_approvals(*more, "one"), ElementsAre("d-one", "more"));
  EXPECT_EQ(with(*more, "one"), *more) << "it is there already";
}

TEST(SessionApprovals, whatever_else_the_file_has_stays) {
  const std::string text = with(R"({"version":1,"approvals":{"d":{"server":"s"}}})", "one");
  EXPECT_THAT(text, testing::AllOf(HasSubstr(R"("version": 1)"), HasSubstr(R"("server": "s")")));
}

TEST(SessionApprovals, go_when_nothing_was_allowed_in_their_session_for_a_month) {
  std::string text = with(with("", "old"), "young", later(std::chrono::hours(1)));
  text = with(text, "new", later(session_kept_for + std::chrono::minutes(1)));
  EXPECT_THAT(*session_approvals(text, "old"), IsEmpty());
  EXPECT_THAT(*session_approvals(text, "young"), ElementsAre("d-young"));
}

TEST(SessionApprovals, of_more_sessions_than_are_kept_the_oldest_go) {
  std::string text;
  for (std::size_t i = 0; i <= kept_sessions_max; ++i) {
    text = with(text, std::to_string(i));
  }
  EXPECT_THAT(*session_approvals(text, "0"), IsEmpty());
  EXPECT_THAT(*session_approvals(text, "1"), ElementsAre("d-1"));
}

TEST(SessionApprovals, a_session_has_so_many_and_a_damaged_file_is_left_alone) {
  std::string text;
  for (std::size_t i = 0; i < session_approvals_max; ++i) {
    text = *with_session_approval(text, {.session = "s", .digest = std::to_string(i), .at = today});
  }
  EXPECT_FALSE(with_session_approval(text, {.session = "s", .digest = "more", .at = today}));
  EXPECT_FALSE(session_approvals(R"({"sessions":[]})", "s"));
  EXPECT_FALSE(with_session_approval("[", {.session = "s", .digest = "d", .at = today}));
}

}  // namespace
}  // namespace pi_mcp::config
