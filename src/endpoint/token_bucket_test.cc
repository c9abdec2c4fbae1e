#include "endpoint/token_bucket.h"

#include <chrono>

#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

using namespace std::chrono_literals;

const TimePoint start = TimePoint() + 1h;

access::Rate rate(std::uint32_t count, std::uint32_t burst, Milliseconds period = 1s) {
  return {.count = count, .period = period, .burst = burst};
}

// How many single ones are let through, one after the other.
int let_through(TokenBucket& bucket, TimePoint now) {
  int count = 0;
  while (bucket.wait(1, now) == Duration::zero()) {
    bucket.take(1, now);
    ++count;
  }
  return count;
}

TEST(TokenBucket, gives_its_burst_and_then_its_rate) {
  TokenBucket bucket(rate(20, 40));
  EXPECT_EQ(let_through(bucket, start), 40);
  EXPECT_EQ(bucket.wait(1, start), 50ms);
  EXPECT_EQ(let_through(bucket, start + 49ms), 0);
  EXPECT_EQ(let_through(bucket, start + 50ms), 1);
  EXPECT_EQ(let_through(bucket, start + 1050ms), 20);
}

TEST(TokenBucket, what_nobody_takes_is_kept_up_to_the_burst) {
  TokenBucket bucket(rate(20, 40));
  let_through(bucket, start);
  EXPECT_FALSE(bucket.is_full(start + 1999ms));
  EXPECT_TRUE(bucket.is_full(start + 2000ms));
  EXPECT_EQ(let_through(bucket, start + 1h), 40);
}

TEST(TokenBucket, several_are_had_together_or_not_at_all) {
  TokenBucket bucket(rate(30, 10, 60s));
  EXPECT_EQ(bucket.wait(10, start), 0s);
  bucket.take(4, start);
  EXPECT_EQ(bucket.wait(6, start), 0s);
  EXPECT_EQ(bucket.wait(8, start), 4s);
  EXPECT_EQ(let_through(bucket, start), 6);
}

}  // namespace
}  // namespace pi_mcp::endpoint
