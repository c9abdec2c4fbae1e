#include "io/loop/paced_work.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/result.h"
#include "io/loop/clock.h"
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

Milliseconds PacedWork::next_pause() const {
  constexpr int others = 9;                     // parts of ten that are for other work
  constexpr Milliseconds longest_taken{1'000};  // the process may have been stopped meanwhile
  const auto since = std::chrono::duration_cast<Milliseconds>(now() - ended_);
  return std::max(pause_, others * std::min(taken_, longest_taken) - since);
}

Task<void> PacedWork::run() {
  while (asked_) {  // the work itself may ask for more
    const Result<void> paused = co_await sleep_for(next_pause());
    if (!paused) {
      co_return;
    }
    asked_ = false;
    const TimePoint began = now();
    work_();
    ended_ = now();
    taken_ = std::chrono::duration_cast<Milliseconds>(ended_ - began);
  }
}

}  // namespace pi_mcp::io
