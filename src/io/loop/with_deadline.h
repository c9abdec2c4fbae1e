// with_deadline(): an operation that must be over by a point in time. Costs about 4 µs, so it is
// for starting and stopping things; calls in flight have the deadlines of rpc::CallTable.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

namespace detail {

template <class T>
Task<Result<T>> without_exceptions(Task<Result<T>> task, bool* is_done) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  Result<T> result = co_await std::move(task);
  *is_done = true;
  co_return result;
}

// Ends with the timer, or when the task is done. An exception only where the caller is cancelled,
// so that what the task returns counts: the first of all brings a megabyte of tables into memory.
Task<void> end_of(boost::asio::steady_timer* timer, const bool* is_done);

// "250 ms", "10 s".
std::string limit_text(Duration limit);

}  // namespace detail

// What the task returns, when that is within `limit`. timed_out otherwise: the task was cancelled
// and has unwound when this returns, so a task that ignores cancellation delays it. `what` begins
// the message: "<what>: not done within 10 s". Cancelling the caller cancels the task.
template <class T>
Task<Result<T>> with_deadline(Duration limit, std::string what, Task<Result<T>> task) {
  using boost::asio::experimental::awaitable_operators::operator||;
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, limit);
  bool is_done = false;
  auto first = co_await (detail::without_exceptions(std::move(task), &is_done) ||
                         detail::end_of(&timer, &is_done));
  if (first.index() == 0) {
    co_return std::get<0>(std::move(first));
  }
  co_return fail(ErrorCode::timed_out, what + ": not done within " + detail::limit_text(limit));
}

}  // namespace pi_mcp::io
