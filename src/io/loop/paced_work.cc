#include "io/loop/paced_work.h"

#include <utility>

#include "base/result.h"
#include "io/loop/sleep.h"

namespace pi_mcp::io {

PacedWork::PacedWork(Executor executor,
                     std::string name,
                     Milliseconds pause,
                     std::function<void()> work)
    : name_(std::move(name)), pause_(pause), work_(std::move(work)), tasks_(std::move(executor)) {}

void PacedWork::start() {
  started_ = true;
  begin();
}

void PacedWork::ask() {
  asked_ = true;
  begin();
}

Task<void> PacedWork::stop() {
  started_ = false;
  tasks_.cancel();
  co_await tasks_.join();
}

void PacedWork::begin() {
  if (started_ && asked_ && tasks_.running() == 0) {
    tasks_.spawn(name_, run(), log_only);  // the next ask() begins anew
  }
}

Task<void> PacedWork::run() {
  while (asked_) {  // the work itself may ask for more
    const Result<void> paused = co_await sleep_for(pause_);
    if (!paused) {
      co_return;
    }
    asked_ = false;
    work_();
  }
}

}  // namespace pi_mcp::io
