#include "servers/start_limiter.h"

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

// How many of `wanted` starts may begin now.
std::size_t begun(StartLimiter& turns, std::size_t wanted, bool background) {
  std::size_t count = 0;
  while (count < wanted && turns.is_free(background)) {
    turns.begin(background);
    ++count;
  }
  return count;
}

TEST(StartLimiterTest, of_thirty_at_once_ten_begin_and_eight_of_those_nobody_waits_for) {
  StartLimiter called({});
  EXPECT_EQ(begun(called, 30, false), 10U);
  StartLimiter warmed({});
  EXPECT_EQ(begun(warmed, 30, true), 8U);
  EXPECT_EQ(begun(warmed, 30, false), 2U) << "a call finds a turn free";
}

TEST(StartLimiterTest, the_end_of_one_lets_the_next_begin) {
  StartLimiter turns({.total = 2, .background = 1});
  turns.begin(true);
  turns.begin(false);
  EXPECT_FALSE(turns.is_free(false));
  turns.end(false);
  EXPECT_TRUE(turns.is_free(false));
  EXPECT_FALSE(turns.is_free(true)) << "waits for one of its kind";
  turns.end(true);
  EXPECT_TRUE(turns.is_free(true));
}

TEST(StartLimiterTest, calls_that_have_all_turns_leave_none_for_the_background) {
  StartLimiter turns({.total = 2, .background = 1});
  EXPECT_EQ(begun(turns, 5, false), 2U);
  EXPECT_FALSE(turns.is_free(true));
}

}  // namespace
}  // namespace pi_mcp::servers
