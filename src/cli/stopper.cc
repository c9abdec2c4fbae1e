#include "cli/stopper.h"

#include <cstdlib>

#include "io/sleep.h"

namespace pi_mcp::cli {

Stopper::Stopper(const io::Executor& executor, Console* console, Milliseconds cleaning_max)
    : console_(console),
      cleaning_max_(cleaning_max),
      executor_(executor),
      changed_(executor),
      tasks_(executor) {}

void Stopper::start() {
  tasks_.spawn("signals", watch(&signals_.emplace(executor_)));
}

void Stopper::limit_cleaning(ExitStatus status) {
  tasks_.spawn("limit of cleaning up", end_after(status));
}

io::Task<void> Stopper::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

io::Task<void> Stopper::watch(io::StopSignals* signals) {
  const Result<int> first = co_await signals->wait();
  if (!first) {
    co_return;
  }
  constexpr int shell_signal_base = 128;  // how shells report an end by a signal
  const auto status = static_cast<ExitStatus>(shell_signal_base + *first);
  stopped_ = status;
  changed_.notify_all();
  limit_cleaning(status);
  if (co_await signals->wait()) {
    console_->progress("");
    std::_Exit(static_cast<int>(status));
  }
}

io::Task<void> Stopper::end_after(ExitStatus status) {
  if (co_await io::sleep_for(cleaning_max_)) {
    console_->progress("");
    std::_Exit(static_cast<int>(status));
  }
}

}  // namespace pi_mcp::cli
