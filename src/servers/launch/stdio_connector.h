// The connector of the pool for servers that are local programs.
#pragma once

#include <deque>
#include <memory>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "servers/launch/launch.h"
#include "servers/launch/npx_start.h"
#include "servers/launch/uv_start.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// close() must have returned before destruction.
class StdioConnector {
 public:
  struct Options {
    // A server that has just started has the processor and the disk for itself this long, before
    // npm or uv looks for a newer version of it.
    Milliseconds check_delay{5000};
  };

  explicit StdioConnector(const io::Executor& executor, Options options);
  explicit StdioConnector(const io::Executor& executor) : StdioConnector(executor, Options{}) {}

  // A Pool::Connector. Errors name the command and what is wrong with it.
  io::Task<Result<std::unique_ptr<transport::Transport>>> connect(Launch launch);
  // Ends what runs in the background, for good. The links that were made live on.
  io::Task<void> close();

 private:
  using Check = std::variant<NpxCheck, UvCheck>;

  void queue(Check check);
  io::Task<void> run_checks();

  Options options_;
  std::deque<Check> checks_;  // the first one is being done
  bool closed_ = false;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::servers
