#include "io/loop/signals.h"

#include <unistd.h>

#include <array>
#include <csignal>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {
namespace {

Task<int> take_signals(Executor executor) {
  StopSignals signals(executor);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(std::raise(number), 0);
    const auto taken = co_await signals.wait();
    EXPECT_EQ(taken.value(), number);
  }
  co_return 0;
}

TEST(StopSignals, are_values_instead_of_the_end) {
  run(take_signals);
}

Task<void> wait_for_one(StopSignals* signals, ErrorCode* outcome) {
  const auto taken = co_await signals->wait();
  *outcome = taken ? ErrorCode::io : taken.error().code();
}

Task<int> cancel_wait(Executor executor) {
  StopSignals signals(executor);
  TaskGroup group(executor);
  ErrorCode outcome = ErrorCode::io;
  group.spawn("waiting", wait_for_one(&signals, &outcome), io::log_only);
  group.cancel();
  co_await group.join();
  EXPECT_EQ(outcome, ErrorCode::cancelled);
  co_return 0;
}

TEST(StopSignals, a_wait_can_be_cancelled) {
  run(cancel_wait);
}

TEST(IgnoreBrokenPipes, a_write_that_nobody_reads_is_an_error_and_not_the_end) {
  ignore_broken_pipes();
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  ::close(ends[1]);
}

}  // namespace
}  // namespace pi_mcp::io
