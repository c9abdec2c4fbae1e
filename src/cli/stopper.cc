#include "cli/stopper.h"

#include <cstdlib>
#include <utility>

#include "io/loop/sleep.h"

namespace pi_mcp::cli {

Stopper::Stopper(const io::Executor& executor, Console* console, Milliseconds cleaning_max)
    : console_(console),
      cleaning_max_(cleaning_max),
      executor_(executor),
      changed_(executor),
      tasks_(executor) {}

void Stopper::start(std::function<void()> on_hangup) {
  on_hangup_ = std::move(on_hangup);
  tasks_.spawn("signals", watch(&signals_.emplace(executor_)), [this](const std::string& /*what*/) {
    stopped_ = ExitStatus::unavailable;  // a program that hears no signal could not be stopped
    changed_.notify_all();
  });
}

void Stopper::limit_cleaning(ExitStatus status) {
  tasks_.spawn("limit of cleaning up", end_after(status), [status](const std::string& /*what*/) {
    std::_Exit(static_cast<int>(status));
  });
}

io::Task<void> Stopper::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

io::Task<void> Stopper::watch(io::StopSignals* signals) {
  const Result<int> first = co_await next(signals);
  if (!first) {
    co_return;
  }
  constexpr int shell_signal_base = 128;  // how shells report an end by a signal
  const auto status = static_cast<ExitStatus>(shell_signal_base + *first);
  stopped_ = status;
  changed_.notify_all();
  limit_cleaning(status);
  if (co_await next(signals)) {
    console_->progress("");
    std::_Exit(static_cast<int>(status));
  }
}

// The next signal that asks for the end.
io::Task<Result<int>> Stopper::next(io::StopSignals* signals) {
  for (;;) {
    const Result<int> number = co_await signals->wait();
    if (!number || *number != SIGHUP || !on_hangup_) {
      co_return number;
    }
    on_hangup_();
  }
}

io::Task<void> Stopper::end_after(ExitStatus status) {
  if (co_await io::sleep_for(cleaning_max_)) {
    console_->progress("");
    std::_Exit(static_cast<int>(status));
  }
}

}  // namespace pi_mcp::cli
