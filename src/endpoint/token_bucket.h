// How much of its rate somebody has used: a bucket that fills at the rate up to the burst. Time is
// an argument. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "access/rate.h"
#include "base/time.h"

namespace pi_mcp::endpoint {

class TokenBucket {
 public:
  // Full. `rate` is a limit.
  explicit TokenBucket(const access::Rate& rate)
      : gap_(rate.gap()), burst_(static_cast<std::int64_t>(rate.burst)) {}

  // Until so many may be taken, at most the burst; zero: now.
  [[nodiscard]] Duration wait(std::int64_t count, TimePoint now) const {
    return std::max(Duration::zero(), after(count, now) - now - gap_ * burst_);
  }
  void take(std::int64_t count, TimePoint now) { full_at_ = after(count, now); }
  [[nodiscard]] bool is_full(TimePoint now) const { return full_at_ <= now; }

 private:
  [[nodiscard]] TimePoint after(std::int64_t count, TimePoint now) const {
    return std::max(full_at_, now) + gap_ * count;
  }

  Duration gap_;
  std::int64_t burst_;
  TimePoint full_at_;  // all that is known of a bucket: when it will be full if nothing is taken
};

}  // namespace pi_mcp::endpoint
