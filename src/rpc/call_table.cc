#include "rpc/call_table.h"

#include <algorithm>
#include <utility>

namespace pi_mcp::rpc {
namespace {

// `duration` may be "for ever".
TimePoint after(TimePoint start, Duration duration) {
  return duration > TimePoint::max() - start ? TimePoint::max() : start + duration;
}

}  // namespace

TimePoint CallTable::Waiting::deadline() const {
  const TimePoint last = after(opened, times.total_max);
  return held > 0 ? last : std::min(after(heard, times.quiet_max), last);
}

Result<CallNumber> CallTable::open(CallTimes times, TimePoint now) {
  if (closed_) {
    return fail(ErrorCode::unavailable, "the connection is closed");
  }
  if (waiting_.size() >= limits_.waiting_max) {
    return fail(ErrorCode::unavailable,
                std::to_string(waiting_.size()) +
                    " calls already wait for this server, which is the limit; try again later");
  }
  const CallNumber number = ++last_;
  const Waiting added{.times = times, .opened = now, .heard = now, .held = 0};
  waiting_.emplace(number, added);
  first_deadline_ = std::min(first_deadline_, added.deadline());
  return number;
}

std::optional<CallNumber> CallTable::settle(const Id& id) {
  const std::optional<std::int64_t> number = id.number();
  if (!number || waiting_.erase(*number) == 0) {
    ++late_answers_;
    return std::nullopt;
  }
  return number;
}

bool CallTable::abandon(CallNumber number) {
  return waiting_.erase(number) > 0;
}

bool CallTable::progress(CallNumber number, TimePoint now) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) {
    return false;
  }
  found->second.heard = now;  // later, so first_deadline_ still holds
  return true;
}

void CallTable::hold(CallNumber number) {
  const auto found = waiting_.find(number);
  if (found != waiting_.end()) {
    ++found->second.held;  // its deadline is later, so first_deadline_ still holds
  }
}

void CallTable::release(CallNumber number, TimePoint now) {
  const auto found = waiting_.find(number);
  if (found != waiting_.end() && found->second.held > 0) {
    --found->second.held;
    found->second.heard = now;
    first_deadline_ = std::min(first_deadline_, found->second.deadline());
  }
}

std::vector<CallTable::Expired> CallTable::expire(TimePoint now) {
  std::vector<Expired> expired;
  if (now < first_deadline_) {
    return expired;
  }
  first_deadline_ = TimePoint::max();
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const Waiting& call = it->second;
    if (call.deadline() > now) {
      first_deadline_ = std::min(first_deadline_, call.deadline());
      ++it;
      continue;
    }
    const bool total = after(call.opened, call.times.total_max) <= now;
    expired.push_back({.number = it->first,
                       .limit = total ? call.times.total_max : call.times.quiet_max,
                       .total = total});
    it = waiting_.erase(it);
  }
  std::sort(expired.begin(), expired.end(), [](const Expired& a, const Expired& b) {
    return a.number < b.number;
  });
  return expired;
}

std::optional<TimePoint> CallTable::next_deadline() const {
  return waiting_.empty() ? std::nullopt : std::optional(first_deadline_);
}

std::vector<CallNumber> CallTable::close() {
  closed_ = true;
  std::vector<CallNumber> numbers;
  numbers.reserve(waiting_.size());
  for (const auto& [number, call] : waiting_) {
    numbers.push_back(number);
  }
  waiting_.clear();
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace pi_mcp::rpc
