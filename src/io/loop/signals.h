// Signals that a person or a service manager sends us.
#pragma once

#include <csignal>

#include <boost/asio/signal_set.hpp>

#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// From then on a write to a pipe that nobody reads is an error value. Not handed on to children.
void ignore_broken_pipes();

// From construction on SIGINT, SIGTERM and SIGHUP do not end the program but wait here.
class StopSignals {
 public:
  explicit StopSignals(const Executor& executor);

  // The number of the next one. cancelled: the waiting task was cancelled.
  Task<Result<int>> wait();

 private:
  boost::asio::signal_set signals_;
};

// While it lives SIGINT ends the program at once. For reads that block, during which no loop runs:
// StopSignals would note an interrupt that comes just before the read, and nobody would look.
class InterruptEnds {
 public:
  InterruptEnds();
  InterruptEnds(const InterruptEnds&) = delete;
  InterruptEnds& operator=(const InterruptEnds&) = delete;
  InterruptEnds(InterruptEnds&&) = delete;
  InterruptEnds& operator=(InterruptEnds&&) = delete;
  ~InterruptEnds();

 private:
  struct sigaction before_{};
};

}  // namespace pi_mcp::io
