#include "access/key_cache.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "support/jwt_signer.h"

namespace pi_mcp::access {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

const TimePoint start{};

KeySet some_keys() {
  static const test::SigningKey key = test::SigningKey::curve();
  return KeySet::parse(test::key_set_text({key.jwk("")})).value_or(KeySet());
}

class KeyCacheTest : public testing::Test {
 protected:
  void fetch(TimePoint at, std::optional<Milliseconds> fresh = {}) {
    cache.begin();
    cache.succeed(some_keys(), fresh, at);
  }
  void fetch_in_vain(TimePoint at) {
    cache.begin();
    cache.fail(at);
  }
  KeyCache cache;
};

TEST_F(KeyCacheTest, keys_are_fetched_first_of_all_and_once_at_a_time) {
  EXPECT_LE(cache.due(), start);
  EXPECT_EQ(cache.keys(start), nullptr);
  cache.begin();
  EXPECT_EQ(cache.due(), TimePoint::max());
  EXPECT_TRUE(cache.ask(start)) << "who asks meanwhile waits for that one";
  EXPECT_EQ(cache.due(), TimePoint::max());
  cache.succeed(some_keys(), std::nullopt, start + 1s);
  EXPECT_NE(cache.keys(start + 1s), nullptr);
  EXPECT_EQ(cache.due(), start + 1s + 1h);
}

TEST_F(KeyCacheTest, they_are_fresh_for_as_long_as_the_issuer_says_within_limits) {
  fetch(start, 20min);
  EXPECT_EQ(cache.due(), start + 20min);
  fetch(start, 0ms);
  EXPECT_EQ(cache.due(), start + 5min);
  fetch(start, 365 * 24h);
  EXPECT_EQ(cache.due(), start + 24h);
}

TEST_F(KeyCacheTest, a_key_that_nobody_knows_is_asked_for_twice_a_minute) {
  fetch(start);
  EXPECT_TRUE(cache.ask(start + 1s));
  EXPECT_EQ(cache.due(), start + 1s);
  EXPECT_TRUE(cache.ask(start + 1s)) << "the next one waits for the same";
  fetch(start + 2s);
  EXPECT_FALSE(cache.ask(start + 30s));
  EXPECT_EQ(cache.due(), start + 2s + 1h);
  EXPECT_TRUE(cache.ask(start + 31s));
  fetch_in_vain(start + 31s);
  EXPECT_FALSE(cache.ask(start + 31s));
  EXPECT_EQ(cache.due(), start + 32s) << "what failed is tried again all the same";
}

TEST_F(KeyCacheTest, without_any_keys_failures_have_a_pace_that_nobody_hurries) {
  fetch_in_vain(start);
  EXPECT_EQ(cache.due(), start + 1s);
  EXPECT_FALSE(cache.ask(start + 500ms));
  EXPECT_EQ(cache.due(), start + 1s);
  EXPECT_TRUE(cache.ask(start + 1s));
  TimePoint at = start + 1s;
  for (const auto pause : {2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    fetch_in_vain(at);
    EXPECT_EQ(cache.due() - at, pause);
    at = cache.due();
  }
  fetch(at);
  fetch_in_vain(at + 1h);
  EXPECT_EQ(cache.due(), at + 1h + 1s) << "it begins anew after a success";
}

TEST_F(KeyCacheTest, old_keys_count_for_a_day_while_the_issuer_cannot_be_reached) {
  fetch(start, 5min);
  const TimePoint end = start + 5min + 24h;
  for (TimePoint at = cache.due(); at < end; at = cache.due()) {
    EXPECT_NE(cache.keys(at), nullptr);
    fetch_in_vain(at);
  }
  EXPECT_NE(cache.keys(end - 1ms), nullptr);
  EXPECT_EQ(cache.keys(end), nullptr);
  const std::uint64_t version = cache.version();
  fetch(end + 1h);
  EXPECT_NE(cache.keys(end + 1h), nullptr);
  EXPECT_NE(cache.version(), version);
}

}  // namespace
}  // namespace pi_mcp::access
