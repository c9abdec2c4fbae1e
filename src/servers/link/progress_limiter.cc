#include "servers/link/progress_limiter.h"

#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::servers {

ProgressLimiter::ProgressLimiter(const io::Executor& executor, Tell tell)
    : tell_(std::move(tell)),
      turns_(executor, "progress of a server", progress_rate.interval, [this] { tell_due(); }) {
  turns_.start();
}

void ProgressLimiter::take(rpc::CallNumber call, rpc::Message&& progress) {
  if (newest_.empty() && rate_.take(io::now())) {
    tell_(call, progress.params());
    return;
  }
  if (newest_.insert_or_assign(call, std::move(progress)).second) {
    waiting_.push_back(call);
  }
  turns_.ask();
}

void ProgressLimiter::tell_kept(rpc::CallNumber call) {
  const auto kept = newest_.find(call);
  if (kept != newest_.end()) {
    const rpc::Message progress = std::move(kept->second);
    newest_.erase(kept);
    tell_(call, progress.params());
  }
}

void ProgressLimiter::tell_due() {
  std::size_t told = 0;
  while (told < waiting_.size() && (!newest_.contains(waiting_[told]) || rate_.take(io::now()))) {
    tell_kept(waiting_[told]);
    ++told;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(told));
  if (!waiting_.empty()) {
    turns_.ask();
  }
}

}  // namespace pi_mcp::servers
