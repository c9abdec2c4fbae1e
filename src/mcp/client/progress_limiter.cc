#include "mcp/client/progress_limiter.h"

#include <algorithm>

namespace pi_mcp::mcp {

bool ProgressLimiter::take(rpc::CallNumber call, TimePoint now) {
  if (waiting_.empty() && rate_.take(now)) {
    return true;
  }
  if (std::ranges::find(waiting_, call) == waiting_.end()) {
    waiting_.push_back(call);
  }
  due_ = due_.value_or(now + progress_rate.interval);
  return false;
}

std::vector<rpc::CallNumber> ProgressLimiter::take_due(TimePoint now) {
  std::vector<rpc::CallNumber> told;
  if (!due_ || now < *due_) {
    return told;
  }
  const auto end =
      std::ranges::find_if_not(waiting_, [&](rpc::CallNumber) { return rate_.take(now); });
  told.assign(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  due_ = waiting_.empty() ? std::nullopt : std::optional(now + progress_rate.interval);
  return told;
}

}  // namespace pi_mcp::mcp
