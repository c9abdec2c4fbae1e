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

}  // namespace pi_mcp::io
