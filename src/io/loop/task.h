// The coroutine type of the program. One loop, one thread: nothing here is locked.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_state.hpp>

namespace pi_mcp::io {

// Cancelling is a request, and a value: a cancelled task gets ErrorCode::cancelled from the wait it
// is in and from every later wait of this folder (it stays cancelled), never an exception. That
// holds for tasks started by run(), TaskGroup and with_deadline(); nobody else calls co_spawn.
template <class T>
using Task = boost::asio::awaitable<T>;

using Executor = boost::asio::any_io_executor;

// Whether the running task was asked to stop:
//   const auto state = co_await boost::asio::this_coro::cancellation_state;
//   if (is_cancelled(state)) { ... }
inline bool is_cancelled(const boost::asio::cancellation_state& state) {
  return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace pi_mcp::io
