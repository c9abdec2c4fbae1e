// A command with one thing to say, which a signal or --timeout may end before it has said it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/setup.h"
#include "cli/stopper.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"

namespace pi_mcp::cli {

class TimedCommand {
 public:
  // `setup` outlives it.
  TimedCommand(const io::Executor& executor, const Setup& setup);

  // Prints what `work` says, or reports why it says nothing. `late`: what --timeout has cut short.
  io::Task<ExitStatus> run(io::Task<Result<std::string>> work, std::string late);

  // For tasks beside `work`; they are cancelled at its end.
  [[nodiscard]] io::TaskGroup& tasks() { return tasks_; }
  // Notified when something ends; shared with those tasks.
  [[nodiscard]] io::Condition& changed() { return stopper_.changed(); }

 private:
  io::Task<void> note(io::Task<Result<std::string>> work);
  void say(Result<std::string> said);

  const Setup& setup_;
  Stopper stopper_;
  std::optional<Result<std::string>> said_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::cli
