// Progress of the calls of one server on its way to who waits: at most so much per second, of each
// call the newest, and the last one never lost.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "base/rate.h"
#include "base/time.h"
#include "io/loop/paced_work.h"
#include "io/loop/task.h"
#include "json/document.h"
#include "rpc/call_table.h"
#include "rpc/message.h"

namespace pi_mcp::servers {

// A bar on a screen is smooth enough at this, and no host minds it.
constexpr RateLimits progress_rate{.burst = 10, .interval = Milliseconds(200)};

// stop() must have returned before destruction. A call without progress costs nothing here.
class ProgressLimiter {
 public:
  using Tell = std::function<void(rpc::CallNumber call, json::Value params)>;

  ProgressLimiter(const io::Executor& executor, Tell tell);

  // One of a call under way: told at once, or kept until its turn in place of an older one.
  void take(rpc::CallNumber call, rpc::Message&& progress);
  // The call is about to get its answer: what is kept of it is told now.
  void settle(rpc::CallNumber call) {
    if (!newest_.empty()) {
      tell_kept(call);
    }
  }
  // Nobody waits for the call any more.
  void drop(rpc::CallNumber call) { newest_.erase(call); }
  io::Task<void> stop() { return turns_.stop(); }

 private:
  void tell_kept(rpc::CallNumber call);
  void tell_due();

  Tell tell_;
  Rate rate_{progress_rate};
  std::unordered_map<rpc::CallNumber, rpc::Message> newest_;  // that were not told yet
  std::vector<rpc::CallNumber> waiting_;  // the same calls, and some that are over, by turn
  io::PacedWork turns_;
};

}  // namespace pi_mcp::servers
