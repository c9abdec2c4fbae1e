#include "io/loop/ready.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

Task<Result<void>> wait_ready(asio::posix::stream_descriptor* descriptor,
                              asio::posix::descriptor_base::wait_type what) {
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  const auto [error] = co_await descriptor->async_wait(what, asio::as_tuple(asio::use_awaitable));
  if (error == asio::error::operation_aborted) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (error) {
    co_return fail(ErrorCode::io, error.message());
  }
  co_return Result<void>();
}

}  // namespace pi_mcp::io
