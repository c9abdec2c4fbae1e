#include "io/loop/condition.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

void Condition::notify_all() {
  for (Waiter* waiter : waiters_) {
    waiter->notified = true;
    waiter->timer.cancel();
  }
  waiters_.clear();
}

Task<Wake> Condition::wait_until(TimePoint deadline) {
  const auto before = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(before)) {
    co_return Wake::cancelled;
  }
  co_return co_await wait_once(deadline);
}

Task<Wake> Condition::wait_shielded(TimePoint deadline) {
  Wake wake = Wake::cancelled;
  while (wake == Wake::cancelled) {
    wake = co_await wait_once(deadline);
  }
  co_return wake;
}

Task<Wake> Condition::wait_once(TimePoint deadline) {
  Waiter waiter{.timer = asio::steady_timer(executor_, deadline)};
  waiters_.push_back(&waiter);
  const auto [error] = co_await waiter.timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (waiter.notified) {
    co_return Wake::notified;
  }
  waiters_.remove(&waiter);
  co_return error ? Wake::cancelled : Wake::timed_out;
}

}  // namespace pi_mcp::io
