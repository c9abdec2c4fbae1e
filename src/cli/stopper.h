// ctrl-C and SIGTERM: the first one asks the program to end, a second one, or cleaning up for too
// long, ends it at once.
#pragma once

#include <functional>
#include <optional>

#include "base/time.h"
#include "cli/show/console.h"
#include "cli/show/exit_status.h"
#include "io/loop/condition.h"
#include "io/loop/signals.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"

namespace pi_mcp::cli {

class Stopper {
 public:
  // `cleaning_max`: how long the program may take to end once it is asked to. Then the keepers of
  // its processes end what it started (io/process/keeper.h).
  Stopper(const io::Executor& executor, Console* console, Milliseconds cleaning_max);

  // Signals end the program the default way until then. With `on_hangup` SIGHUP asks for that
  // instead of the end.
  void start(std::function<void()> on_hangup = {});
  // The program only has to clean up: from now on it may take `cleaning_max`.
  void limit_cleaning(ExitStatus status);
  io::Task<void> close();

  // The signal that came, as the status to end with.
  [[nodiscard]] std::optional<ExitStatus> stopped() const { return stopped_; }
  // Notified when stopped() changes; those who wait for it and for something else share it.
  [[nodiscard]] io::Condition& changed() { return changed_; }

 private:
  io::Task<void> watch(io::StopSignals* signals);
  io::Task<Result<int>> next(io::StopSignals* signals);
  io::Task<void> end_after(ExitStatus status);

  Console* console_;
  Milliseconds cleaning_max_;
  std::function<void()> on_hangup_;
  std::optional<io::StopSignals> signals_;
  io::Executor executor_;
  io::Condition changed_;
  std::optional<ExitStatus> stopped_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::cli
