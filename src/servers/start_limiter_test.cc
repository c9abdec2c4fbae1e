#include "servers/start_limiter.h"

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

// How many of `wanted` starts may begin now.
std::size_t begun(StartLimiter& slots, std::size_t wanted, bool background) {
  std::size_t count = 0;
  while (count < wanted && slots.is_free(background)) {
    slots.begin(background);
    ++count;
  }
  return count;
}

TEST(StartLimiterTest, of_thirty_at_once_ten_begin_and_eight_of_those_nobody_waits_for) {
  StartLimiter called({});
  EXPECT_EQ(begun(called, 30, false), 10U);
  StartLimiter warmed({});
  EXPECT_EQ(begun(warmed, 30, true), 8U);
  EXPECT_EQ(begun(warmed, 30, false), 2U) << "a call finds a slot free";
}

TEST(StartLimiterTest, the_end_of_one_lets_the_next_begin) {
  StartLimiter slots({.total = 2, .background = 1});
  slots.begin(true);
  slots.begin(false);
  EXPECT_FALSE(slots.is_free(false));
  slots.end(false);
  EXPECT_TRUE(slots.is_free(false));
  EXPECT_FALSE(slots.is_free(true)) << "waits for one of its kind";
  slots.end(true);
  EXPECT_TRUE(slots.is_free(true));
}

TEST(StartLimiterTest, calls_that_have_all_slots_leave_none_for_the_background) {
  StartLimiter slots({.total = 2, .background = 1});
  EXPECT_EQ(begun(slots, 5, false), 2U);
  EXPECT_FALSE(slots.is_free(true));
}

}  // namespace
}  // namespace pi_mcp::servers
