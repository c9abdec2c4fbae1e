// The event loop of the program, and the one way into it.
#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include "io/loop/task.h"

namespace pi_mcp::io {

namespace detail {

template <class T>
Task<void> run_into(std::optional<T>* result, Task<T> task) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  result->emplace(co_await std::move(task));
}

}  // namespace detail

// Runs `main(executor)` on a new loop until it and everything it started is over, and returns what
// it returned. An exception that escapes it is rethrown.
template <class Main>
auto run(Main main) {
  using T = typename std::invoke_result_t<Main, Executor>::value_type;
  // No other thread ever uses it, so Asio needs no locks.
  boost::asio::io_context context{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  std::optional<T> result;
  boost::asio::co_spawn(context,
                        detail::run_into<T>(&result, main(context.get_executor())),
                        [](const std::exception_ptr& error) {
                          if (error) {
                            std::rethrow_exception(error);
                          }
                        });
  context.run();
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the loop has ended, so the task has.
  return std::move(result).value();
}

}  // namespace pi_mcp::io
