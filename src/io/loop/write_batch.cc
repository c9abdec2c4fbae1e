#include "io/loop/write_batch.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/asio/query.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

Turns& Turns::of(const Executor& executor) {
  return asio::use_service<Turns>(asio::query(executor, asio::execution::context));
}

Turns::Waiter::~Waiter() {
  if (waits_) {
    std::replace(
        turns_.waiting_.begin(), turns_.waiting_.end(), this, static_cast<Waiter*>(nullptr));
  }
}

bool Turns::Waiter::wait_for_turn_end() {
  if (turns_.open_ == 0) {
    return false;
  }
  if (!std::exchange(waits_, true)) {
    turns_.waiting_.push_back(this);
  }
  return true;
}

// What the end of a turn causes is of no turn any more; waiters may go meanwhile.
void Turns::end() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (Waiter* const waiter = std::exchange(waiting_[i], nullptr)) {
      waiter->waits_ = false;
      waiter->end_turn();
    }
  }
  waiting_.clear();
}

}  // namespace pi_mcp::io
