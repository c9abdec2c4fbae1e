// Requests that we sent and whose answers are due: what waits for each, deadlines, cancellation,
// late answers. It owns what waits, so that nothing has to be kept equal with it. Pure: no I/O;
// time is an argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "rpc/message.h"

namespace pi_mcp::rpc {

// Names one waiting call for as long as the connection lives; also its JSON-RPC id and its progress
// token on the wire (per-hop values: never forwarded).
using CallNumber = std::int64_t;

struct CallLimits {
  std::size_t waiting_max = 4096;
};

struct CallTimes {
  // A call fails when nothing was heard of it for this long; progress notifications restart it.
  Duration quiet_max;
  // However much progress is reported, a call ends after this long.
  Duration total_max;
};

// `Call` is what waits for an answer.
template <class Call>
class CallTable {
  struct Waiting {
    Call call;
    CallTimes times = {};
    TimePoint opened;
    TimePoint heard;       // of its request, then of its newest progress
    std::size_t held = 0;  // hold() without release()
    [[nodiscard]] TimePoint deadline() const {
      const TimePoint last = after(opened, times.total_max);
      return held > 0 ? last : std::min(after(heard, times.quiet_max), last);
    }
  };
  using Calls = std::unordered_map<CallNumber, Waiting>;

 public:
  // A call that is no longer in the table, or none.
  class Ended {
   public:
    Ended() = default;
    explicit Ended(typename Calls::node_type node) : node_(std::move(node)) {}
    explicit operator bool() const { return !node_.empty(); }
    [[nodiscard]] CallNumber number() const { return node_.key(); }
    [[nodiscard]] Call& operator*() const { return node_.mapped().call; }
    [[nodiscard]] Call* operator->() const { return &node_.mapped().call; }

   private:
    typename Calls::node_type node_;
  };

  explicit CallTable(CallLimits limits = {}) : limits_(limits) {}

  // unavailable when too many calls wait or the table is closed; then `call` is untouched.
  Result<CallNumber> open(Call&& call, CallTimes times, TimePoint now) {
    if (closed_) {
      return fail(ErrorCode::unavailable, "the connection is closed");
    }
    if (waiting_.size() >= limits_.waiting_max) {
      return fail(ErrorCode::unavailable,
                  std::to_string(waiting_.size()) +
                      " calls already wait for this server, which is the limit; try again later");
    }
    const auto added =
        waiting_.emplace(++last_, Waiting{std::move(call), times, now, now, 0}).first;
    first_deadline_ = std::min(first_deadline_, added->second.deadline());
    return last_;
  }
  // The waiting call with that number; null: none. Valid until it ends.
  [[nodiscard]] Call* find(CallNumber number) {
    const auto found = waiting_.find(number);
    return found == waiting_.end() ? nullptr : &found->second.call;
  }
  [[nodiscard]] const Call* find(CallNumber number) const {
    const auto found = waiting_.find(number);
    return found == waiting_.end() ? nullptr : &found->second.call;
  }
  template <class Take>
  void for_each(Take take) {
    for (auto& [number, waiting] : waiting_) {
      take(number, waiting.call);
    }
  }

  // The call that an answer is for. None: nobody waits for it (late or made up); it is counted.
  Ended settle(const Id& id) {
    const std::optional<std::int64_t> number = id.number();
    Ended ended = number ? abandon(*number) : Ended();
    late_answers_ += ended ? 0 : 1;
    return ended;
  }
  // The same when `may` says so of the call; else it stays, and nothing is counted.
  template <class May>
  Ended settle_if(const Id& id, May may) {
    const std::optional<std::int64_t> number = id.number();
    const auto found = number ? waiting_.find(*number) : waiting_.end();
    return found != waiting_.end() && may(std::as_const(found->second.call))
               ? Ended(waiting_.extract(found))
               : Ended();
  }
  // The caller gave up. None when the answer came first.
  Ended abandon(CallNumber number) { return Ended(waiting_.extract(number)); }

  // A progress notification for this call arrived. False for an unknown token.
  bool progress(CallNumber number, TimePoint now) {
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) {
      return false;
    }
    found->second.heard = now;  // later, so first_deadline_ still holds
    return true;
  }
  // The server waits for somebody else with this call, as a person who is asked: until as many
  // release() only total_max counts, then quiet_max begins anew. Unknown numbers are ignored.
  void hold(CallNumber number) {
    const auto found = waiting_.find(number);
    if (found != waiting_.end()) {
      ++found->second.held;  // its deadline is later, so first_deadline_ still holds
    }
  }
  void release(CallNumber number, TimePoint now) {
    const auto found = waiting_.find(number);
    if (found != waiting_.end() && found->second.held > 0) {
      --found->second.held;
      found->second.heard = now;
      first_deadline_ = std::min(first_deadline_, found->second.deadline());
    }
  }
  // It waits from now on for so long instead. Unknown numbers are ignored.
  void restart(CallNumber number, Duration most, TimePoint now) {
    const auto found = waiting_.find(number);
    if (found != waiting_.end()) {
      found->second.times = {.quiet_max = most, .total_max = most};
      found->second.opened = found->second.heard = now;
      first_deadline_ = std::min(first_deadline_, found->second.deadline());
    }
  }

  struct Expired {
    Ended call;
    Duration limit{};    // the one that passed
    bool total = false;  // it was total_max, not quiet_max
  };
  // Calls whose time is over, removed from the table, oldest first.
  std::vector<Expired> expire(TimePoint now) {
    std::vector<Expired> expired;
    if (now < first_deadline_) {
      return expired;
    }
    first_deadline_ = TimePoint::max();
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      const auto call = it++;
      const Waiting& waiting = call->second;
      if (waiting.deadline() > now) {
        first_deadline_ = std::min(first_deadline_, waiting.deadline());
        continue;
      }
      const bool total = after(waiting.opened, waiting.times.total_max) <= now;
      const Duration limit = total ? waiting.times.total_max : waiting.times.quiet_max;
      expired.push_back({.call = Ended(waiting_.extract(call)), .limit = limit, .total = total});
    }
    std::ranges::sort(expired, {}, [](const Expired& one) { return one.call.number(); });
    return expired;
  }
  // When to call expire() next; nullopt when nothing waits. Never later than the first deadline,
  // but perhaps earlier: keeping it exact would cost every call more than a rare needless look
  // does.
  [[nodiscard]] std::optional<TimePoint> next_deadline() const {
    return waiting_.empty() ? std::nullopt : std::optional(first_deadline_);
  }
  // No new calls; returns all that were waiting, oldest first.
  std::vector<Ended> close() {
    closed_ = true;
    std::vector<Ended> ended;
    ended.reserve(waiting_.size());
    while (!waiting_.empty()) {
      ended.push_back(Ended(waiting_.extract(waiting_.begin())));
    }
    std::ranges::sort(ended, {}, &Ended::number);
    return ended;
  }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::uint64_t late_answers() const { return late_answers_; }

 private:
  // `duration` may be "for ever".
  static TimePoint after(TimePoint start, Duration duration) {
    return duration > TimePoint::max() - start ? TimePoint::max() : start + duration;
  }

  CallLimits limits_;
  Calls waiting_;
  TimePoint first_deadline_ = TimePoint::max();  // at most the smallest deadline() in waiting_
  CallNumber last_ = 0;
  std::uint64_t late_answers_ = 0;  // grows with every answer nobody waits for
  bool closed_ = false;
};

}  // namespace pi_mcp::rpc
