// Owns background coroutines: none is detached, none outlives its owner unjoined.
#pragma once

#include <list>
#include <string>

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/time.h"
#include "io/task.h"

namespace pi_mcp::io {

// Every member is called on the loop's thread. The owner's stop is cancel() then co_await join();
// destruction with a running task is a programming error and aborts.
class TaskGroup {
 public:
  explicit TaskGroup(Executor executor);
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  TaskGroup(TaskGroup&&) = delete;
  TaskGroup& operator=(TaskGroup&&) = delete;
  ~TaskGroup();

  // Names one running task; 0 is never given.
  using TaskId = std::uint64_t;

  // Starts the task soon (from the loop, not inside this call). An exception that escapes the task
  // is a bug: it is logged with the task's name, the other tasks go on.
  TaskId spawn(std::string name, Task<void> task);
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
