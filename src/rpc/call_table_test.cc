#include "rpc/call_table.h"

#include <gtest/gtest.h>

namespace pi_mcp::rpc {
namespace {

using std::chrono::seconds;

// What waits for each call.
struct Waits {};
using CallTable = rpc::CallTable<Waits>;

const TimePoint start = TimePoint() + std::chrono::hours(1);
constexpr CallTimes times{.quiet_max = seconds(60), .total_max = seconds(3600)};

template <class Calls>
std::vector<CallNumber> numbers(const Calls& ended) {
  std::vector<CallNumber> found;
  for (const auto& call : ended) {
    if constexpr (std::is_same_v<Calls, std::vector<CallTable::Expired>>) {
      found.push_back(call.call.number());
    } else {
      found.push_back(call.number());
    }
  }
  return found;
}

TEST(CallTable, refuses_calls_over_its_limit_and_after_close) {
  CallTable table({.waiting_max = 2});
  ASSERT_TRUE(table.open(Waits(), times, start));
  ASSERT_TRUE(table.open(Waits(), times, start));
  const Result<CallNumber> third = table.open(Waits(), times, start);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code(), ErrorCode::unavailable);
  EXPECT_TRUE(table.abandon(1));
  EXPECT_EQ(*table.open(Waits(), times, start), 3) << "numbers are never used again";

  EXPECT_EQ(numbers(table.close()), (std::vector<CallNumber>{2, 3}));
  EXPECT_EQ(table.waiting(), 0U);
  EXPECT_EQ(table.open(Waits(), times, start).error().code(), ErrorCode::unavailable);
  EXPECT_FALSE(table.settle(Id(2)));
}

TEST(CallTable, counts_answers_nobody_waits_for) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), times, start));
  EXPECT_EQ(table.settle(Id(1)).number(), 1);
  EXPECT_FALSE(table.settle(Id(1))) << "twice";
  EXPECT_FALSE(table.settle(Id(9))) << "made up";
  EXPECT_FALSE(table.settle(Id::from_json(R"("1")"))) << "not our type of id";
  EXPECT_FALSE(table.settle(Id()));
  EXPECT_EQ(table.late_answers(), 4U);
}

TEST(CallTable, an_abandoned_call_is_gone) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), times, start));
  EXPECT_TRUE(table.abandon(1));
  EXPECT_FALSE(table.abandon(1));
  EXPECT_FALSE(table.progress(1, start));
  EXPECT_EQ(table.next_deadline(), std::nullopt);
  EXPECT_TRUE(table.expire(start + seconds(7200)).empty());
}

TEST(CallTable, quiet_calls_expire_oldest_first) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), times, start));
  ASSERT_TRUE(table.open(Waits(), {.quiet_max = seconds(5), .total_max = seconds(3600)}, start));
  ASSERT_TRUE(table.open(Waits(), times, start + seconds(1)));
  EXPECT_EQ(table.next_deadline(), start + seconds(5));
  EXPECT_TRUE(table.expire(start + seconds(4)).empty());
  EXPECT_EQ(numbers(table.expire(start + seconds(5))), (std::vector<CallNumber>{2}));
  EXPECT_EQ(table.next_deadline(), start + seconds(60));
  const std::vector<CallTable::Expired> rest = table.expire(start + seconds(100));
  EXPECT_EQ(numbers(rest), (std::vector<CallNumber>{1, 3}));
  EXPECT_EQ(rest[0].limit, seconds(60));
  EXPECT_FALSE(rest[0].total);
  EXPECT_EQ(table.next_deadline(), std::nullopt);
}

TEST(CallTable, progress_restarts_the_quiet_time_but_not_the_total) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), {.quiet_max = seconds(10), .total_max = seconds(25)}, start));
  EXPECT_TRUE(table.progress(1, start + seconds(9)));
  EXPECT_TRUE(table.expire(start + seconds(18)).empty());
  EXPECT_TRUE(table.progress(1, start + seconds(18)));
  EXPECT_TRUE(table.expire(start + seconds(24)).empty());
  EXPECT_EQ(table.next_deadline(), start + seconds(25));
  const std::vector<CallTable::Expired> expired = table.expire(start + seconds(25));
  ASSERT_EQ(expired.size(), 1U);
  EXPECT_TRUE(expired[0].total);
  EXPECT_EQ(expired[0].limit, seconds(25));
}

TEST(CallTable, a_held_call_has_only_its_total_and_then_its_quiet_time_anew) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), {.quiet_max = seconds(10), .total_max = seconds(100)}, start));
  table.hold(1);
  table.hold(1);
  EXPECT_TRUE(table.expire(start + seconds(50)).empty());
  table.release(1, start + seconds(50));
  EXPECT_TRUE(table.expire(start + seconds(70)).empty()) << "it is held once more";
  table.release(1, start + seconds(70));
  EXPECT_LE(table.next_deadline(), start + seconds(80));
  EXPECT_TRUE(table.expire(start + seconds(79)).empty());
  EXPECT_EQ(numbers(table.expire(start + seconds(80))), (std::vector<CallNumber>{1}));
  table.hold(1);
  table.release(1, start);  // it is gone
}

TEST(CallTable, holding_does_not_move_the_total) {
  CallTable table;
  ASSERT_TRUE(table.open(Waits(), {.quiet_max = seconds(10), .total_max = seconds(25)}, start));
  table.hold(1);
  EXPECT_TRUE(table.expire(start + seconds(24)).empty());
  EXPECT_TRUE(table.expire(start + seconds(25)).at(0).total);
}

TEST(CallTable, the_next_deadline_is_never_too_late) {
  CallTable table;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(
        table.open(Waits(), {.quiet_max = seconds(100 - i), .total_max = seconds(500)}, start));
  }
  EXPECT_EQ(table.next_deadline(), start + seconds(1));
  EXPECT_TRUE(table.settle(Id(100)));
  EXPECT_TRUE(table.expire(start + seconds(1)).empty()) << "a needless look corrects it";
  EXPECT_EQ(table.next_deadline(), start + seconds(2));
}

TEST(CallTable, for_ever_is_a_time) {
  CallTable table;
  ASSERT_TRUE(
      table.open(Waits(), {.quiet_max = Duration::max(), .total_max = Duration::max()}, start));
  EXPECT_TRUE(table.expire(start + std::chrono::hours(100000)).empty());
}

}  // namespace
}  // namespace pi_mcp::rpc
