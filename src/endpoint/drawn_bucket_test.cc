#include "endpoint/drawn_bucket.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

using namespace std::chrono_literals;
using Draw = DrawnBucket::Draw;

const TimePoint start = TimePoint() + 1h;
const access::Rate rate{.count = 20, .period = 1s, .burst = 40};
constexpr std::int64_t batch = 5;
constexpr std::int64_t credit = 20;

int let_through(DrawnBucket& bucket, TimePoint now, int wanted) {
  int count = 0;
  while (count < wanted && bucket.take(1, now) == Duration::zero()) {
    ++count;
  }
  return count;
}

// Has begun, and five are left of what it has drawn.
DrawnBucket begun() {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  const std::optional<Draw> draw = bucket.due(start);
  EXPECT_EQ(draw, (Draw{.settle = 1, .want = batch}));
  bucket.answered(*draw, batch, start);
  return bucket;
}

TEST(DrawnBucket, the_first_are_let_through_before_the_store_has_answered) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  EXPECT_EQ(bucket.due(start), std::nullopt) << "nobody has asked";
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  const std::optional<Draw> draw = bucket.due(start);
  EXPECT_EQ(draw, (Draw{.settle = 1, .want = batch}));
  EXPECT_EQ(let_through(bucket, start, 100), credit) << "and no more than that";
  EXPECT_EQ(bucket.due(start), std::nullopt) << "an answer is under way";
  bucket.answered(*draw, batch, start);
  EXPECT_EQ(bucket.due(start), (Draw{.settle = credit - batch, .want = batch}));
}

TEST(DrawnBucket, the_next_batch_is_drawn_when_half_is_used) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(let_through(bucket, start, 2), 2);
  EXPECT_EQ(bucket.due(start), std::nullopt);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  EXPECT_EQ(bucket.due(start), (Draw{.settle = 0, .want = 3}));
  EXPECT_EQ(let_through(bucket, start, 2), 2) << "what is left";
  bucket.answered({.settle = 0, .want = 3}, 3, start);
  EXPECT_EQ(bucket.due(start), std::nullopt);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  EXPECT_EQ(bucket.due(start), (Draw{.settle = 0, .want = 3}));
}

TEST(DrawnBucket, what_nobody_takes_goes_back) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(bucket.due(start + 999ms), std::nullopt);
  EXPECT_EQ(bucket.due(start + 1s), (Draw{.settle = -batch, .want = 0}));
  EXPECT_FALSE(bucket.is_idle(start + 1s));
  bucket.answered({.settle = -batch, .want = 0}, 0, start + 1s);
  EXPECT_TRUE(bucket.is_idle(start + 1s));
  EXPECT_EQ(bucket.due(start + 1h), std::nullopt);
}

TEST(DrawnBucket, none_is_let_through_while_the_store_has_none) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(let_through(bucket, start, 3), 3);
  bucket.answered(*bucket.due(start), -300, start);
  EXPECT_EQ(let_through(bucket, start, 10), 2) << "what was drawn before";
  EXPECT_EQ(bucket.take(1, start + 100ms), 200ms);
  EXPECT_EQ(bucket.due(start + 100ms), std::nullopt);
  EXPECT_EQ(let_through(bucket, start + 300ms, 1), 1);
  EXPECT_EQ(bucket.due(start + 300ms), (Draw{.settle = 1, .want = batch}));
}

TEST(DrawnBucket, what_it_owes_is_said_though_nothing_can_be_drawn) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  const std::optional<Draw> draw = bucket.due(start);
  EXPECT_EQ(let_through(bucket, start, 3), 3);
  bucket.answered(*draw, -300, start);
  EXPECT_EQ(bucket.due(start), (Draw{.settle = 3, .want = 0}));
  bucket.answered({.settle = 3, .want = 0}, -450, start);
  EXPECT_EQ(bucket.take(1, start), 450ms);
  EXPECT_FALSE(bucket.is_idle(start + 449ms));
}

TEST(DrawnBucket, one_replica_alone_lets_through_no_more_than_the_rate) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    count += let_through(bucket, start, 100);
    if (const std::optional<Draw> draw = bucket.due(start)) {
      bucket.answered(*draw, draw->want, start);  // a store that lies, or was emptied
    }
  }
  EXPECT_EQ(count, 40);
}

TEST(DrawnBucket, without_a_store_it_limits_by_itself) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::alone);
  EXPECT_EQ(let_through(bucket, start, 100), 40);
  EXPECT_EQ(let_through(bucket, start + 1s, 100), 20);
  EXPECT_EQ(bucket.due(start + 1s), std::nullopt);
  EXPECT_FALSE(bucket.is_idle(start + 1s));
}

TEST(DrawnBucket, while_the_store_is_away_it_limits_by_itself) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  EXPECT_TRUE(bucket.due(start));
  bucket.failed(start);
  EXPECT_EQ(let_through(bucket, start, 100), 39);
  EXPECT_EQ(bucket.due(start + 999ms), std::nullopt);
  EXPECT_EQ(let_through(bucket, start + 1s, 100), 20);
  EXPECT_EQ(bucket.due(start + 1s), (Draw{.settle = 0, .want = batch}));
  EXPECT_FALSE(bucket.is_idle(start + 1s));
}

TEST(DrawnBucket, a_store_that_is_back_counts_again) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(let_through(bucket, start, 5), 5);
  ASSERT_TRUE(bucket.due(start));
  bucket.failed(start);
  EXPECT_EQ(let_through(bucket, start + 1s, 1), 1);
  const std::optional<Draw> again = bucket.due(start + 1s);
  ASSERT_TRUE(again);
  bucket.answered(*again, -5'000, start + 1s);
  EXPECT_EQ(bucket.take(1, start + 2s), 4s) << "others have used it up";
}

TEST(DrawnBucket, a_store_that_is_slow_does_not_count_meanwhile) {
  DrawnBucket bucket(rate, DrawnBucket::Sharing::by_store);
  EXPECT_EQ(let_through(bucket, start, 1), 1);
  const std::optional<Draw> draw = bucket.due(start);
  EXPECT_EQ(let_through(bucket, start + 200ms, 100), credit);
  EXPECT_EQ(let_through(bucket, start + 201ms, 100), 40 - credit);
  bucket.answered(*draw, -1'000, start + 900ms);
  EXPECT_EQ(bucket.take(1, start + 900ms), 1s);
}

TEST(DrawnBucket, an_answer_that_makes_no_sense_does_no_harm) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(let_through(bucket, start, 3), 3);
  bucket.answered(*bucket.due(start), INT64_MIN, start);
  EXPECT_EQ(let_through(bucket, start, 2), 2);
  EXPECT_EQ(bucket.take(1, start), 60s);
  EXPECT_EQ(let_through(bucket, start + 60s, 1), 1);
  bucket.answered(*bucket.due(start + 60s), INT64_MAX, start + 60s);
  EXPECT_EQ(bucket.due(start + 62s), (Draw{.settle = -batch, .want = 0}));
}

TEST(DrawnBucket, a_batch_as_large_as_the_burst_passes_when_nothing_is_owed) {
  DrawnBucket bucket = begun();
  EXPECT_EQ(bucket.take(39, start), 0s);
  EXPECT_EQ(bucket.due(start), (Draw{.settle = 34, .want = batch}));
}

// What the store does (replicas/rate_store.cc).
class Store {
 public:
  std::int64_t draw(const Draw& draw, TimePoint now) {
    full_ = std::max(now, std::max(now, full_) + rate.gap() * draw.settle);
    const std::int64_t has = rate.burst - (full_ - now + rate.gap() - 1ns) / rate.gap();
    const std::int64_t given = std::max<std::int64_t>(0, std::min(draw.want, has));
    full_ += rate.gap() * given;
    if (given > 0 || has > 0) {
      return given;
    }
    const auto wait = full_ - now - (rate.burst - 1) * rate.gap();
    return -std::max<std::int64_t>(1, std::chrono::ceil<Milliseconds>(wait).count());
  }

 private:
  TimePoint full_;
};

struct Replica {
  DrawnBucket bucket{rate, DrawnBucket::Sharing::by_store};
  std::optional<Draw> asked;  // and is answered when `at` has come
  TimePoint at;
  int passed = 0;
};

// One principal asks all of them, in turn, every `pause`; a store answers after `latency`.
int passed_by_all(std::vector<Replica>& replicas,
                  Store& store,
                  Milliseconds pause,
                  Milliseconds latency) {
  std::size_t turn = 0;
  for (TimePoint now = start; now < start + 10s; now += 1ms) {
    for (Replica& each : replicas) {
      if (each.asked && now >= each.at) {
        const Draw draw = *each.asked;
        each.asked.reset();
        each.bucket.answered(draw, store.draw(draw, now), now);
      }
    }
    if ((now - start) % pause == 0ms) {
      Replica& asked = replicas[turn++ % replicas.size()];
      asked.passed += asked.bucket.take(1, now) == Duration::zero() ? 1 : 0;
    }
    for (Replica& each : replicas) {
      if (!each.asked) {
        each.asked = each.bucket.due(now);
        each.at = now + latency;
      }
    }
  }
  int passed = 0;
  for (const Replica& each : replicas) {
    passed += each.passed;
  }
  return passed;
}

TEST(DrawnBucket, all_replicas_together_let_through_the_rate) {
  for (const Milliseconds latency : {1ms, 5ms, 50ms}) {
    std::vector<Replica> replicas(3);
    Store store;
    const int passed = passed_by_all(replicas, store, 2ms, latency);
    EXPECT_GE(passed, 235) << latency.count();               // 10 s of it and the burst
    EXPECT_LE(passed, 240 + 3 * credit) << latency.count();  // what may be owed for a moment
  }
}

TEST(DrawnBucket, whoever_stays_below_the_rate_is_never_refused) {
  for (const Milliseconds pause : {55ms, 100ms, 700ms, 3000ms}) {
    std::vector<Replica> replicas(3);
    Store store;
    EXPECT_EQ(passed_by_all(replicas, store, pause, 2ms), (Milliseconds(10s) + pause - 1ms) / pause)
        << pause.count();
  }
}

}  // namespace
}  // namespace pi_mcp::endpoint
