#include "io/loop/paced_work.h"

#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Counts how often its work was done.
struct Counter {
  explicit Counter(const Executor& executor, Milliseconds pause = 1ms)
      : changed(executor), work(executor, "counting", pause, [this] {
          ++done;
          changed.notify_all();
        }) {}

  Task<void> wait_for(int count) {
    const TimePoint deadline = now() + 10s;
    while (done < count && co_await changed.wait_until(deadline) == Wake::notified) {
    }
    EXPECT_EQ(done, count);
  }

  int done = 0;
  Condition changed;
  PacedWork work;
};

Task<int> asked_often(Executor executor) {
  Counter counter(executor);
  counter.work.start();
  for (int i = 0; i < 3; ++i) {
    counter.work.ask();
  }
  EXPECT_EQ(counter.done, 0) << "work is not done inside ask()";
  co_await counter.wait_for(1);
  counter.work.ask();
  co_await counter.wait_for(2);
  co_await counter.work.stop();
  co_return counter.done;
}

TEST(PacedWork, is_done_once_for_all_who_asked_before_it_began) {
  EXPECT_EQ(run(asked_often), 2);
}

Task<int> asked_by_itself(Executor executor) {
  Condition changed(executor);
  int done = 0;
  PacedWork* again = nullptr;
  PacedWork work(executor, "again", 1ms, [&] {
    if (++done < 3) {
      again->ask();
    }
    changed.notify_all();
  });
  again = &work;
  work.start();
  work.ask();
  const TimePoint deadline = now() + 10s;
  while (done < 3 && co_await changed.wait_until(deadline) == Wake::notified) {
  }
  co_await work.stop();
  co_return done;
}

TEST(PacedWork, may_ask_for_itself_again) {
  EXPECT_EQ(run(asked_by_itself), 3);
}

Task<Milliseconds> asked_for_again_after_long_work(Executor executor) {
  constexpr Milliseconds long_time = 20ms;
  Condition changed(executor);
  TimePoint ended;
  Milliseconds paused{0};
  int done = 0;
  PacedWork work(executor, "long", 1ms, [&] {
    const TimePoint began = now();
    paused = std::chrono::duration_cast<Milliseconds>(began - ended);
    while (now() - began < long_time) {
    }
    ended = now();
    ++done;
    changed.notify_all();
  });
  work.start();
  const TimePoint deadline = now() + 10s;
  for (int count = 1; count <= 2; ++count) {
    work.ask();
    while (done < count && co_await changed.wait_until(deadline) == Wake::notified) {
    }
  }
  co_await work.stop();
  EXPECT_EQ(done, 2);
  co_return paused;
}

TEST(PacedWork, leaves_others_nine_tenths_of_the_time) {
  EXPECT_GE(run(asked_for_again_after_long_work), 180ms);
}

Task<int> asked_before_the_start(Executor executor) {
  Counter counter(executor);
  counter.work.ask();
  counter.work.start();
  co_await counter.wait_for(1);
  co_await counter.work.stop();
  co_return counter.done;
}

TEST(PacedWork, asked_for_before_the_start_is_done_after_it) {
  EXPECT_EQ(run(asked_before_the_start), 1);
}

Task<int> stopped(Executor executor) {
  Counter counter(executor, 1h);
  counter.work.start();
  counter.work.ask();
  co_await counter.work.stop();
  counter.work.ask();  // nobody runs it, and nothing is left to be joined
  co_return counter.done;
}

TEST(PacedWork, is_not_done_once_stopped) {
  EXPECT_EQ(run(stopped), 0);
}

}  // namespace
}  // namespace pi_mcp::io
