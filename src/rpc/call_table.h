// Requests that we sent and whose answers are due: ids, deadlines, cancellation, late answers.
// Pure: no I/O; time is an argument.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
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

class CallTable {
 public:
  explicit CallTable(CallLimits limits = {}) : limits_(limits) {}

  // unavailable when too many calls wait or the table is closed.
  Result<CallNumber> open(CallTimes times, TimePoint now);
  // The answer to a call arrived: its number. nullopt: nobody waits for it (late or made up); it is
  // counted.
  std::optional<CallNumber> settle(const Id& id);
  // The caller gave up. False when the answer came first.
  bool abandon(CallNumber number);
  // A progress notification for this call arrived. False for an unknown token.
  bool progress(CallNumber number, TimePoint now);
  // The server waits for somebody else with this call, as a person who is asked: until as many
  // release() only total_max counts, then quiet_max begins anew. Unknown numbers are ignored.
  void hold(CallNumber number);
  void release(CallNumber number, TimePoint now);

  struct Expired {
    CallNumber number;
    Duration limit;      // the one that passed
    bool total = false;  // it was total_max, not quiet_max
  };
  // Calls whose time is over, removed from the table, oldest first.
  std::vector<Expired> expire(TimePoint now);
  // When to call expire() next; nullopt when nothing waits. Never later than the first deadline,
  // but perhaps earlier: keeping it exact would cost every call more than a rare needless look
  // does.
  [[nodiscard]] std::optional<TimePoint> next_deadline() const;
  // No new calls; returns all that were waiting, oldest first.
  std::vector<CallNumber> close();

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::uint64_t late_answers() const { return late_answers_; }

 private:
  struct Waiting {
    CallTimes times;
    TimePoint opened;
    TimePoint heard;       // of its request, then of its newest progress
    std::size_t held = 0;  // hold() without release()
    [[nodiscard]] TimePoint deadline() const;
  };
  CallLimits limits_;
  std::unordered_map<CallNumber, Waiting> waiting_;
  TimePoint first_deadline_ = TimePoint::max();  // at most the smallest deadline() in waiting_
  CallNumber last_ = 0;
  std::uint64_t late_answers_ = 0;  // grows with every answer nobody waits for
  bool closed_ = false;
};

}  // namespace pi_mcp::rpc
