#include "base/rate.h"

#include <algorithm>

namespace pi_mcp {

TimePoint Rate::next(TimePoint now) const {
  const auto saved = limits_.interval * (static_cast<std::int64_t>(limits_.burst) - 1);
  return std::max(now, std::max(paid_until_, now) - saved);
}

bool Rate::take(TimePoint now) {
  if (next(now) > now) {
    return false;
  }
  paid_until_ = std::max(paid_until_, now) + limits_.interval;
  return true;
}

std::optional<TimePoint> Rate::reserve(TimePoint now) {
  const TimePoint from = next(now);
  if (from > now + limits_.interval * static_cast<std::int64_t>(limits_.waiting)) {
    return std::nullopt;
  }
  paid_until_ = std::max(paid_until_, now) + limits_.interval;
  return from;
}

}  // namespace pi_mcp
