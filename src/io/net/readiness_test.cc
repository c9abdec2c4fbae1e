// What is told of many descriptors at once.
#include "io/net/readiness.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/with_deadline.h"

namespace pi_mcp::io {
namespace {

constexpr Milliseconds limit{5'000};

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    ours = Fd(ends[0]);
    theirs = Fd(ends[1]);
  }
  Fd ours;
  Fd theirs;
};

// What wait() tells next; empty: nothing within the limit.
Task<std::vector<Readiness::Event>> next(Readiness* readiness) {
  const auto events = co_await with_deadline(limit, "waiting", readiness->wait());
  EXPECT_TRUE(events);
  co_return events ? std::vector<Readiness::Event>(events->begin(), events->end())
                   : std::vector<Readiness::Event>();
}

Task<int> tells_what_is_wanted(Executor executor) {
  const auto readiness = Readiness::open(executor);
  EXPECT_TRUE(readiness);
  Pair one;
  Pair other;
  EXPECT_TRUE((*readiness)->add(one.ours.get(), 1));
  EXPECT_TRUE((*readiness)->add(other.ours.get(), 2));
  EXPECT_EQ(::write(other.theirs.get(), "x", 1), 1);
  // As long as it is so.
  for (int i = 0; i < 2; ++i) {
    const std::vector<Readiness::Event> events = co_await next(readiness->get());
    EXPECT_EQ(events.size(), 1U);
    EXPECT_EQ(events.at(0).key, 2U);
    EXPECT_TRUE(events.at(0).can_read);
    EXPECT_FALSE(events.at(0).can_write);
  }
  (*readiness)->want(other.ours.get(), 2, false, false);
  (*readiness)->want(one.ours.get(), 1, false, true);
  const std::vector<Readiness::Event> room = co_await next(readiness->get());
  EXPECT_EQ(room.size(), 1U);
  EXPECT_EQ(room.at(0).key, 1U);
  EXPECT_TRUE(room.at(0).can_write);
  EXPECT_FALSE(room.at(0).is_broken);
  co_return 0;
}

TEST(Readiness, tells_of_each_what_is_wanted_of_it) {
  (void)run(tells_what_is_wanted);
}

Task<int> tells_of_the_end(Executor executor) {
  const auto readiness = Readiness::open(executor);
  EXPECT_TRUE(readiness);
  Pair pair;
  EXPECT_TRUE((*readiness)->add(pair.ours.get(), 7));
  (*readiness)->want(pair.ours.get(), 7, false, false);
  pair.theirs.reset();
  const std::vector<Readiness::Event> events = co_await next(readiness->get());
  EXPECT_EQ(events.size(), 1U);
  EXPECT_EQ(events.at(0).key, 7U);
  EXPECT_TRUE(events.at(0).is_broken);
  co_return 0;
}

TEST(Readiness, tells_that_the_other_side_is_gone_even_when_nothing_is_wanted) {
  (void)run(tells_of_the_end);
}

}  // namespace
}  // namespace pi_mcp::io
