#include "io/loop/sleep.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

Task<Result<void>> sleep_for(Duration time) {
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  const auto [error] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  if (error) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  co_return Result<void>();
}

}  // namespace pi_mcp::io
