// A server process with its three pipes: started, watched and ended with everything it started.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process_traits.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {

struct KeeperReport;
enum class KeeperOrder : char;

struct Command {
  std::string program;  // a name looked up in PATH of `environment`, or a path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;  // all of it: nothing of ours is added
  std::string folder;                              // working directory, absolute
  bool background = false;  // lowest priority for processor and disk, for it and what it starts
  // What it is bound by, see take_on(); nullopt: as this process.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<ProcessTraits> traits = {};
};

// How a process ended.
class ExitStatus {
 public:
  // `status` as waitpid() gives it.
  explicit ExitStatus(int status) : status_(status) {}

  // nullopt: a signal ended it.
  [[nodiscard]] std::optional<int> code() const;
  // The signal that ended it; nullopt: it exited.
  [[nodiscard]] std::optional<int> signal() const;
  // "exited with status 1", "killed by SIGKILL".
  [[nodiscard]] std::string text() const;

 private:
  int status_;
};

// The steps of closing: each wait ends as soon as the process does.
struct CloseTimes {
  Milliseconds after_input_end{2000};
  Milliseconds after_terminate{2000};
};

// Its process group, session and descendants are looked after by a keeper (io/process/keeper.h),
// also when we are killed. close() must have returned before destruction.
class Process {
 public:
  // not_found, invalid_argument: the program or folder, with what is wrong. io: the system refused.
  // timed_out: it did not run by `deadline` (a disk that hangs). cancelled. With an error nothing
  // is left of it.
  static Task<Result<std::unique_ptr<Process>>> start(Command command,
                                                      TimePoint deadline = TimePoint::max());

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  [[nodiscard]] int id() const { return id_; }
  WriteStream& input() { return input_; }   // the process's stdin
  ReadStream& output() { return output_; }  // its stdout
  ReadStream& errors() { return errors_; }  // its stderr

  // Once it has ended; its descendants may live for a moment longer.
  [[nodiscard]] const std::optional<ExitStatus>& exit_status() const { return exit_status_; }
  // Waits for that. cancelled: the waiting task was cancelled. unavailable: the keeper was killed,
  // so nobody knows how it ended.
  Task<Result<ExitStatus>> wait_exit();

  // Ends it: closes its stdin, waits, SIGTERM to its group, waits, SIGKILL to all its descendants.
  // Returns when nothing is left; not shortened by cancelling the caller. May be called again.
  Task<void> close(CloseTimes times = {});

 private:
  struct Pipes;
  Process(const Executor& executor, Pipes pipes, pid_t keeper);
  static Result<std::unique_ptr<Process>> fork_keeper(const Executor& executor,
                                                      const std::string& path,
                                                      const Command& command);
  [[nodiscard]] std::optional<Error> failed_before_start(const std::string& folder,
                                                         const std::string& path) const;
  void begin_watch();
  Task<void> watch();
  void note(const KeeperReport& report);
  Task<void> reap_keeper();
  Task<void> wait_gone(Milliseconds limit);
  void order(KeeperOrder order);

  Executor executor_;
  WriteStream input_;
  ReadStream output_;
  ReadStream errors_;
  ReadStream keeper_socket_;  // gives reports, takes orders
  pid_t keeper_;
  int id_ = 0;
  std::optional<int> start_failure_;  // errno
  bool folder_failed_ = false;
  bool traits_failed_ = false;
  std::optional<ExitStatus> exit_status_;
  bool gone_ = false;  // the keeper has ended: nothing is left
  Condition changed_;
  TaskGroup tasks_;
};

}  // namespace pi_mcp::io
