#include "io/loop/signals.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

void ignore_broken_pipes() {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  (void)::sigaction(SIGPIPE, &ignore, nullptr);
}

StopSignals::StopSignals(const Executor& executor) : signals_(executor) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    boost::system::error_code ignored;  // only invalid numbers are refused
    signals_.add(number, ignored);
  }
}

Task<Result<int>> StopSignals::wait() {
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  const auto [error, number] = co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
  if (error) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  co_return number;
}

InterruptEnds::InterruptEnds() {
  struct sigaction ends{};
  ends.sa_handler = SIG_DFL;
  (void)::sigaction(SIGINT, &ends, &before_);
}

InterruptEnds::~InterruptEnds() {
  (void)::sigaction(SIGINT, &before_, nullptr);
}

}  // namespace pi_mcp::io
