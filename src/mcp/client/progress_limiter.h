// When progress of the calls of one server is told: at most so much per second, of each call the
// newest, which is kept with the call. Pure: time is an argument.
#pragma once

#include <optional>
#include <vector>

#include "base/rate.h"
#include "base/time.h"
#include "rpc/call_table.h"

namespace pi_mcp::mcp {

// A bar on a screen is smooth enough at this, and no host minds it.
constexpr RateLimits progress_rate{.burst = 10, .interval = Milliseconds(200)};

// A call without progress costs nothing here.
class ProgressLimiter {
 public:
  // Whether progress of that call may be told now. Else it is to be kept in place of an older one,
  // until take_due() names the call.
  bool take(rpc::CallNumber call, TimePoint now);
  // Nothing is kept of the call any more.
  void forget(rpc::CallNumber call) { std::erase(waiting_, call); }
  // What has its turn now, in order.
  std::vector<rpc::CallNumber> take_due(TimePoint now);
  [[nodiscard]] TimePoint next_wake() const { return due_.value_or(TimePoint::max()); }

 private:
  Rate rate_{progress_rate};
  std::vector<rpc::CallNumber> waiting_;  // of which something is kept, by turn
  std::optional<TimePoint> due_;
};

}  // namespace pi_mcp::mcp
