// How often something may happen: a token bucket. Pure: time is an argument.
#pragma once

#include <cstddef>
#include <optional>

#include "base/time.h"

namespace pi_mcp {

struct RateLimits {
  std::size_t burst = 1;     // at once, after a quiet time; at least 1
  Milliseconds interval{0};  // between two, once the burst is used up
  std::size_t waiting = 0;   // that may be promised a later time
};

// It is one number, the time up to which everything that happened is paid for, so it costs nothing
// to keep and no timer fills it.
class Rate {
 public:
  explicit Rate(RateLimits limits) : limits_(limits) {}

  // From when it may happen, `now` or later; then it counts as having happened. nullopt: it may
  // not, as many as may wait do.
  std::optional<TimePoint> reserve(TimePoint now);
  // Whether it may happen now, and then it counts; nobody waits.
  bool take(TimePoint now);
  // From when take() will succeed if nothing happens before.
  [[nodiscard]] TimePoint next(TimePoint now) const;

 private:
  RateLimits limits_;
  TimePoint paid_until_;
};

}  // namespace pi_mcp
