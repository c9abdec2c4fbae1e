#include "cli/show/activity.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using std::chrono::seconds;

constexpr TimePoint start{seconds(100)};

TEST(Activity, is_a_line_every_five_seconds_for_as_long_as_something_is_under_way) {
  Activity activity;
  EXPECT_EQ(activity.next_line(), TimePoint::max());
  activity.begin(0, "github", start);
  EXPECT_EQ(activity.next_line(), start + seconds(5));
  activity.say(0, "installing github-mcp with npx");
  EXPECT_EQ(activity.take_line(start + seconds(4)), "");
  EXPECT_EQ(activity.take_line(start + seconds(5)), "installing github-mcp with npx (5 s)");
  EXPECT_EQ(activity.take_line(start + seconds(6)), "");
  activity.say(0, "installing x with uvx");
  EXPECT_EQ(activity.take_line(start + seconds(10)), "github: installing x with uvx (10 s)");
  activity.end(0);
  EXPECT_EQ(activity.next_line(), TimePoint::max());
  EXPECT_EQ(activity.take_line(start + seconds(15)), "");
}

TEST(Activity, has_all_requests_that_wait_in_one_line) {
  Activity activity;
  activity.begin(0, "a", start);
  activity.begin(1, "b", start + seconds(2));
  activity.begin(2, "c", start);
  activity.say(0, "starting a");
  activity.say(1, "starting b");
  EXPECT_EQ(activity.take_line(start + seconds(5)), "starting a; starting b (5 s)");
  activity.end(0);
  EXPECT_EQ(activity.take_line(start + seconds(10)), "starting b (8 s)");
  activity.say(1, "");
  EXPECT_EQ(activity.take_line(start + seconds(15)), "");
  EXPECT_EQ(activity.next_line(), start + seconds(20));
}

}  // namespace
}  // namespace pi_mcp::cli
