// Owns background coroutines: none is detached, none outlives its owner unjoined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// What becomes of the work of a task that an exception has ended, told once from the loop when the
// task's frame is gone. `what` is what the exception says. Whoever waits for something that the
// task would have done must hear of it here, or waits for ever. It may spawn and cancel tasks of
// the same group, but not destroy the group.
using OnEscape = std::function<void(const std::string& what)>;
// For a task that nobody waits for: the line in the log is all.
inline constexpr std::nullptr_t log_only = nullptr;

// An exception as an error: what `task` returns, or unavailable when it throws. For a step whose
// frame must not be left by an exception because it owns what has to be closed first.
Task<Result<void>> without_exceptions(Task<Result<void>> task);
// The words of that error.
std::string escaped_text(std::string_view what);

// Every member is called on the loop's thread. The owner's stop is cancel() then co_await join();
// destruction with a running task is a programming error and aborts.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup();

  // Names one running task; 0 is never given.
  using TaskId = std::uint64_t;

  // Starts the task soon (from the loop, not inside this call). An exception that escapes the task
  // is a bug or the end of the memory: it is logged with the task's name and told to `on_escape`;
  // the other tasks go on.
  TaskId spawn(std::string name, Task<void> task, OnEscape on_escape);
  // Asks one task to stop; nothing happens when it is over.
  void cancel(TaskId id);
  // Asks every task to stop.
  void cancel();
  // Returns when no task runs; cancelling the caller does not shorten it. Tasks spawned meanwhile
  // are waited for too.
  Task<void> join();
  [[nodiscard]] std::size_t running() const { return running_.size(); }

 private:
  struct Running {
    TaskId id = 0;
    boost::asio::cancellation_signal signal;
  };
  Executor executor_;
  std::list<Running> running_;
  boost::asio::steady_timer idle_;  // never expires; cancelled when the last task ends
  TaskId last_ = 0;
};

}  // namespace pi_mcp::io
