#include "io/loop/with_deadline.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace pi_mcp::io::detail {

Task<void> end_of(boost::asio::steady_timer* timer, const bool* is_done) {
  const auto [error] =
      co_await timer->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  if (error && !*is_done) {
    throw boost::system::system_error(error);
  }
}

std::string limit_text(Duration limit) {
  const auto ms = std::chrono::duration_cast<Milliseconds>(limit).count();
  if (ms >= 1000 && ms % 1000 == 0) {
    return std::to_string(ms / 1000) + " s";
  }
  return std::to_string(ms) + " ms";
}

}  // namespace pi_mcp::io::detail
