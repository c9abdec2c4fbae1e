// Condition: tasks wait until something they look at has changed, or until a point in time.
#pragma once

#include <cstdint>
#include <list>

#include <boost/asio/steady_timer.hpp>

#include "base/pinned.h"
#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

enum class Wake : std::uint8_t { notified, timed_out, cancelled };

// Must outlive its waits. Being notified says "look again", as with every condition variable:
//   while (!done) { const Wake wake = co_await changed.wait_until(deadline); ... }
class Condition : Pinned {
 public:
  explicit Condition(Executor executor) : executor_(std::move(executor)) {}

  // Everybody who waits now goes on soon (from the loop, not inside this call).
  void notify_all();
  Task<Wake> wait_until(TimePoint deadline);
  // For work that must be finished whoever was cancelled: never returns Wake::cancelled.
  Task<Wake> wait_shielded(TimePoint deadline);
  // Without a deadline of its own: for background tasks that end by being cancelled.
  Task<Wake> wait() { return wait_until(TimePoint::max()); }

 private:
  struct Waiter {
    boost::asio::steady_timer timer;
    bool notified = false;
  };
  Task<Wake> wait_once(TimePoint deadline);

  Executor executor_;
  std::list<Waiter*> waiters_;
};

}  // namespace pi_mcp::io
