#include "base/rate.h"

#include <gtest/gtest.h>

namespace pi_mcp {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

constexpr TimePoint start = TimePoint() + 5h;

TEST(Rate, lets_a_burst_pass_and_then_one_per_interval) {
  Rate rate({.burst = 3, .interval = 100ms});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(rate.take(start)) << i;
  }
  EXPECT_FALSE(rate.take(start));
  EXPECT_EQ(rate.next(start), start + 100ms);
  EXPECT_FALSE(rate.take(start + 99ms));
  EXPECT_TRUE(rate.take(start + 100ms));
  EXPECT_FALSE(rate.take(start + 100ms));
}

TEST(Rate, what_is_refused_costs_nothing) {
  Rate rate({.burst = 1, .interval = 100ms});
  EXPECT_TRUE(rate.take(start));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(rate.take(start + 50ms));
  }
  EXPECT_TRUE(rate.take(start + 100ms));
}

TEST(Rate, a_quiet_time_saves_up_one_burst_and_no_more) {
  Rate rate({.burst = 2, .interval = 100ms});
  EXPECT_TRUE(rate.take(start));
  EXPECT_TRUE(rate.take(start + 1h));
  EXPECT_TRUE(rate.take(start + 1h));
  EXPECT_FALSE(rate.take(start + 1h));
}

TEST(Rate, promises_later_times_to_as_many_as_may_wait) {
  Rate rate({.burst = 1, .interval = 100ms, .waiting = 2});
  EXPECT_EQ(rate.reserve(start), start);
  EXPECT_EQ(rate.reserve(start), start + 100ms);
  EXPECT_EQ(rate.reserve(start), start + 200ms);
  EXPECT_EQ(rate.reserve(start), std::nullopt);
  EXPECT_EQ(rate.reserve(start + 100ms), start + 300ms);
}

}  // namespace
}  // namespace pi_mcp
