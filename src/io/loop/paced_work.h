// Work that many may ask for, done once for all who asked within a pause. However often that is, it
// leaves the loop nine tenths of the time.
#pragma once

#include <functional>
#include <string>

#include "base/time.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {

class PacedWork {
 public:
  // `work` is called from the loop, `pause` after it was first asked for or later where it took
  // long the last time, and never between stop() and another start(). `name` is for the log.
  PacedWork(Executor executor, std::string name, Milliseconds pause, std::function<void()> work);

  // Does what was asked for before, too.
  void start();
  void ask();
  // Work that waits for the end of its pause is not done. Must have returned before destruction if
  // start() was called.
  Task<void> stop();

 private:
  void begin();
  Task<void> run();
  [[nodiscard]] Milliseconds next_pause() const;

  std::string name_;
  Milliseconds pause_;
  Milliseconds taken_{0};  // by the work, the last time
  TimePoint ended_;        // of that
  std::function<void()> work_;
  bool started_ = false;
  bool asked_ = false;
  TaskGroup tasks_;
};

}  // namespace pi_mcp::io
