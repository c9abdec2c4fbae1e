#include "io/loop/write_batch.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <boost/asio/query.hpp>

namespace pi_mcp::io {

namespace asio = boost::asio;

WriteBatches& WriteBatches::of(const Executor& executor) {
  return asio::use_service<WriteBatches>(asio::query(executor, asio::execution::context));
}

WriteBatches::Waiter::~Waiter() {
  if (waits_) {
    std::replace(
        batches_.waiting_.begin(), batches_.waiting_.end(), this, static_cast<Waiter*>(nullptr));
  }
}

bool WriteBatches::Waiter::wait_for_batch_end() {
  if (batches_.open_ == 0) {
    return false;
  }
  if (!std::exchange(waits_, true)) {
    batches_.waiting_.push_back(this);
  }
  return true;
}

// What the end of a batch causes belongs to no batch; waiters may go meanwhile.
void WriteBatches::end() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (Waiter* const waiter = std::exchange(waiting_[i], nullptr)) {
      waiter->waits_ = false;
      waiter->end_batch();
    }
  }
  waiting_.clear();
}

}  // namespace pi_mcp::io
