#include "io/loop/task_group.h"

#include <new>
#include <stdexcept>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/result.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/loop/one_shot.h"
#include "io/loop/with_deadline.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;

struct Seen {
  std::vector<std::string> events;
};

Task<void> note(Seen* seen, std::string event) {
  seen->events.push_back(std::move(event));
  co_return;
}

// Lets every task run as far as it can.
Task<void> settle(Executor executor) {
  constexpr int turns = 10;
  for (int turn = 0; turn < turns; ++turn) {
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
  }
}

Task<void> wait_for_cancel(Seen* seen) {
  Condition never(co_await boost::asio::this_coro::executor);
  for (int i = 0; i < 2; ++i) {
    const Wake wake = co_await never.wait();
    seen->events.emplace_back(wake == Wake::cancelled ? "cancelled" : "woken");
  }
}

Task<void> throws() {
  co_await settle(co_await boost::asio::this_coro::executor);
  throw std::runtime_error("boom");
}

Task<int> spawned_tasks(Executor executor) {
  Seen seen;
  TaskGroup group(executor);
  group.spawn("note", note(&seen, "ran"), io::log_only);
  EXPECT_TRUE(seen.events.empty());
  EXPECT_EQ(group.running(), 1U);
  co_await group.join();
  EXPECT_EQ(seen.events, std::vector<std::string>{"ran"});
  co_return 0;
}

TEST(TaskGroup, starts_a_task_from_the_loop_and_join_waits_for_it) {
  run(spawned_tasks);
}

Task<int> cancelled_tasks(Executor executor) {
  Seen seen;
  TaskGroup group(executor);
  group.spawn("first", wait_for_cancel(&seen), io::log_only);
  const auto second = group.spawn("second", wait_for_cancel(&seen), io::log_only);
  co_await settle(executor);
  group.cancel(second);
  co_await settle(executor);
  EXPECT_EQ(seen.events.size(), 2U);
  EXPECT_EQ(group.running(), 1U);
  group.cancel(12345);  // nobody: nothing happens
  group.cancel();
  co_await group.join();
  EXPECT_EQ(seen.events, std::vector<std::string>(4, "cancelled"));
  co_return 0;
}

TEST(TaskGroup, a_cancelled_task_stays_cancelled_and_sees_no_exception) {
  run(cancelled_tasks);
}

Task<int> cancelled_before_start(Executor executor) {
  Seen seen;
  TaskGroup group(executor);
  group.spawn("early", wait_for_cancel(&seen), io::log_only);
  group.cancel();
  co_await group.join();
  EXPECT_EQ(seen.events, std::vector<std::string>(2, "cancelled"));
  co_return 0;
}

TEST(TaskGroup, a_cancel_before_the_task_has_started_is_not_lost) {
  run(cancelled_before_start);
}

Task<int> throwing_task(Executor executor) {
  Seen seen;
  TaskGroup group(executor);
  group.spawn("thrower", throws(), [&seen, &group](const std::string& what) {
    seen.events.push_back("ended by " + what);
    group.spawn("again", note(&seen, "begun again"), log_only);
  });
  group.spawn("other", note(&seen, "other ran"), io::log_only);
  co_await group.join();
  const std::vector<std::string> expected = {"other ran", "ended by boom", "begun again"};
  EXPECT_EQ(seen.events, expected);
  co_return 0;
}

TEST(TaskGroup, an_escaped_exception_is_logged_with_the_name_of_the_task_and_told) {
  std::string logged;
  log::set_sink([&](log::Level, std::string_view text) { logged = std::string(text); });
  run(throwing_task);
  log::set_sink(nullptr);
  EXPECT_EQ(logged, "bug: task thrower ended by an exception: boom");
}

TEST(TaskGroup, destruction_with_a_running_task_aborts) {
  EXPECT_DEATH(
      {
        boost::asio::io_context context;
        Seen seen;
        const auto group = std::make_unique<TaskGroup>(context.get_executor());
        group->spawn("endless", wait_for_cancel(&seen), io::log_only);
      },
      "destroyed before it was joined");
}

Task<void> take(OneShot<std::string>* one_shot, Seen* seen) {
  auto value = co_await one_shot->wait();
  seen->events.push_back(value ? *value : value.error().message());
}

Task<int> one_shot_cases(Executor executor) {
  TaskGroup group(executor);
  Seen seen;

  OneShot<std::string> early;
  early.set(std::string("early"));
  early.set(std::string("ignored"));
  group.spawn("early", take(&early, &seen), io::log_only);
  co_await group.join();

  OneShot<std::string> late;
  group.spawn("late", take(&late, &seen), io::log_only);
  co_await settle(executor);
  late.set(std::string("late"));
  EXPECT_EQ(seen.events.size(), 1U);  // not inside set()
  co_await group.join();

  OneShot<std::string> failing;
  group.spawn("failing", take(&failing, &seen), io::log_only);
  failing.set(fail(ErrorCode::unavailable, "link ended"));
  co_await group.join();

  OneShot<std::string> never;
  group.spawn("never", take(&never, &seen), io::log_only);
  co_await settle(executor);
  group.cancel();
  co_await group.join();
  never.set(std::string("too late"));

  OneShot<std::string> both;
  group.spawn("both", take(&both, &seen), io::log_only);
  co_await settle(executor);
  both.set(std::string("value first"));
  group.cancel();
  co_await group.join();

  const std::vector<std::string> expected = {
      "early", "late", "link ended", "cancelled", "value first"};
  EXPECT_EQ(seen.events, expected);
  co_return 0;
}

TEST(OneShot, hands_over_a_value_or_an_error_or_reports_that_the_wait_was_cancelled) {
  run(one_shot_cases);
}

Task<void> take_own(OneShot<std::string>** handle, Seen* seen) {
  const auto one_shot = std::make_unique<OneShot<std::string>>();
  *handle = one_shot.get();
  auto value = co_await one_shot->wait();
  seen->events.push_back(*value);
}

Task<int> set_now_cases(Executor executor) {
  TaskGroup group(executor);
  Seen seen;
  OneShot<std::string>* waited_for = nullptr;
  group.spawn("waiting", take_own(&waited_for, &seen), io::log_only);
  co_await settle(executor);
  waited_for->set_now(std::string("inside"));  // the task ends, and its OneShot with it
  EXPECT_EQ(seen.events, std::vector<std::string>{"inside"});
  co_await group.join();

  OneShot<std::string> early;
  early.set_now(std::string("early"));
  early.set_now(std::string("ignored"));
  group.spawn("early", take(&early, &seen), io::log_only);
  co_await group.join();

  OneShot<std::string> cancelled;
  group.spawn("cancelled", take(&cancelled, &seen), io::log_only);
  co_await settle(executor);
  group.cancel();
  cancelled.set_now(std::string("a value while the cancelled task has not gone on yet"));
  co_await group.join();
  const std::vector<std::string> expected = {
      "inside", "early", "a value while the cancelled task has not gone on yet"};
  EXPECT_EQ(seen.events, expected);
  co_return 0;
}

TEST(OneShot, may_run_the_waiting_task_inside_the_call) {
  run(set_now_cases);
}

Task<Result<std::string>> slow(Duration time, Seen* seen) {
  Condition never(co_await boost::asio::this_coro::executor);
  const Wake wake = co_await never.wait_until(now() + time);
  seen->events.emplace_back(wake == Wake::timed_out ? "finished" : "unwound");
  if (wake == Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  co_return std::string("value");
}

Task<void> deadline_in_task(Seen* seen) {
  const auto value = co_await with_deadline(1h, "waiting", slow(1h, seen));
  seen->events.push_back(value ? *value : value.error().message());
}

Task<int> deadlines(Executor executor) {
  Seen seen;
  const auto fast = co_await with_deadline(1h, "fast", slow(1ms, &seen));
  EXPECT_EQ(fast.value(), "value");
  const auto late = co_await with_deadline(20ms, "asking the server", slow(1h, &seen));
  EXPECT_EQ(late.error().code(), ErrorCode::timed_out);
  EXPECT_EQ(late.error().message(), "asking the server: not done within 20 ms");
  const std::vector<std::string> expected = {"finished", "unwound"};
  EXPECT_EQ(seen.events, expected);

  TaskGroup group(executor);
  group.spawn("outer", deadline_in_task(&seen), io::log_only);
  co_await settle(executor);
  group.cancel();
  co_await group.join();
  EXPECT_EQ(seen.events.back(), "cancelled");
  co_return 0;
}

TEST(WithDeadline, returns_the_value_or_cancels_and_unwinds_the_loser) {
  run(deadlines);
}

Task<void> wait_on(Condition* condition, TimePoint deadline, std::vector<Wake>* wakes) {
  wakes->push_back(co_await condition->wait_until(deadline));
}

Task<int> conditions(Executor executor) {
  Condition condition(executor);
  TaskGroup group(executor);
  std::vector<Wake> wakes;
  condition.notify_all();  // nobody waits: forgotten
  group.spawn("timed", wait_on(&condition, now() + 1ms, &wakes), io::log_only);
  co_await group.join();
  group.spawn("a", wait_on(&condition, TimePoint::max(), &wakes), io::log_only);
  group.spawn("b", wait_on(&condition, TimePoint::max(), &wakes), io::log_only);
  co_await settle(executor);
  condition.notify_all();
  co_await group.join();
  group.spawn("cancelled", wait_on(&condition, TimePoint::max(), &wakes), io::log_only);
  group.cancel();
  co_await group.join();
  const std::vector<Wake> expected = {
      Wake::timed_out, Wake::notified, Wake::notified, Wake::cancelled};
  EXPECT_EQ(wakes, expected);
  co_return 0;
}

TEST(Condition, wakes_all_waiters_or_ends_with_the_deadline_or_with_cancellation) {
  run(conditions);
}

Task<Result<void>> fails_by_throwing() {
  co_await settle(co_await boost::asio::this_coro::executor);
  throw std::bad_alloc();
}

Task<int> exception_as_error(Executor /*executor*/) {
  const Result<void> outcome = co_await without_exceptions(fails_by_throwing());
  EXPECT_EQ(outcome.error().code(), ErrorCode::unavailable);
  EXPECT_EQ(outcome.error().message(), escaped_text("std::bad_alloc"));
  co_return 0;
}

TEST(WithoutExceptions, an_exception_is_an_error) {
  run(exception_as_error);
}

}  // namespace
}  // namespace pi_mcp::io
