#include "servers/start_turns.h"

#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

constexpr TimePoint begin{std::chrono::hours(1)};

// How many of `wanted` starts may begin at `now`.
std::size_t begun(StartTurns& turns, std::size_t wanted, bool background, TimePoint now) {
  std::size_t count = 0;
  while (count < wanted && !turns.wait_until(background, now)) {
    turns.begin(background, now);
    ++count;
  }
  return count;
}

TEST(StartTurnsTest, of_thirty_at_once_ten_begin_and_eight_of_those_nobody_waits_for) {
  StartTurns called({});
  EXPECT_EQ(begun(called, 30, false, begin), 10U);
  StartTurns warmed({});
  EXPECT_EQ(begun(warmed, 30, true, begin), 8U);
  EXPECT_EQ(begun(warmed, 30, false, begin), 2U) << "a call finds a turn free";
}

TEST(StartTurnsTest, the_end_of_one_lets_the_next_begin) {
  StartTurns turns({.total = 2, .background = 1});
  const StartTurns::Id first = turns.begin(true, begin);
  const StartTurns::Id second = turns.begin(false, begin);
  EXPECT_TRUE(turns.wait_until(false, begin).has_value());
  turns.end(second);
  EXPECT_FALSE(turns.wait_until(false, begin).has_value());
  EXPECT_TRUE(turns.wait_until(true, begin).has_value());
  turns.end(first);
  EXPECT_FALSE(turns.wait_until(true, begin).has_value());
}

TEST(StartTurnsTest, starts_that_hang_lose_their_turn_one_after_the_other) {
  StartTurns turns({.total = 2, .background = 2, .turn = Milliseconds(100)});
  turns.begin(false, begin);
  turns.begin(true, begin + Milliseconds(30));
  const TimePoint later = begin + Milliseconds(60);
  EXPECT_EQ(turns.wait_until(true, later), begin + Milliseconds(100));
  EXPECT_EQ(begun(turns, 5, true, begin + Milliseconds(100)), 1U);
  EXPECT_EQ(turns.wait_until(true, begin + Milliseconds(120)), begin + Milliseconds(130));
}

TEST(StartTurnsTest, a_start_in_the_background_waits_for_one_of_its_kind) {
  StartTurns turns({.total = 3, .background = 1, .turn = Milliseconds(100)});
  turns.begin(false, begin);
  turns.begin(true, begin + Milliseconds(50));
  EXPECT_EQ(turns.wait_until(true, begin + Milliseconds(60)), begin + Milliseconds(150));
}

}  // namespace
}  // namespace pi_mcp::servers
