// One host's session in a gateway, from its first message to its end: `serve` has one, the process
// that all sessions share has many.
#pragma once

#include <memory>

#include "base/pinned.h"
#include "cli/session_config.h"
#include "cli/setup.h"
#include "gateway/gateway.h"
#include "gateway/run_publisher.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/transport.h"

namespace pi_mcp::cli {

class HostSession : Pinned {
 public:
  struct Options {
    render::HostKind kind = render::HostKind::mcp;
    std::unique_ptr<transport::Transport> host;
    std::int64_t last_question = 0;  // see host::HostOptions
  };
  // Opens a session in the gateway, which outlives it. Reads the configuration, and starts nothing.
  HostSession(const io::Executor& executor,
              gateway::Gateway& gateway,
              const Setup& setup,
              Options options);

  // Serves the host until it goes away or end() is called. leave() or end_gateway() has to follow.
  io::Task<void> run();
  void end();
  // Gives everything up: the host is written what it is owed, servers are let go of.
  io::Task<void> leave();
  // The same, with the gateway and all of its servers.
  io::Task<void> end_gateway();

  void reload_soon() { config_.reload_soon(); }

 private:
  io::Task<void> serve();
  io::Task<void> stop_serving();

  SessionConfig config_;
  gateway::Gateway& gateway_;
  gateway::Session* session_;
  gateway::RunPublisher publisher_;
  std::unique_ptr<transport::Transport> host_;
  std::int64_t last_question_;
  io::TaskGroup serving_;
  io::TaskGroup closing_;
  io::Condition changed_;
  bool met_ = false;
  bool ended_ = false;
};

}  // namespace pi_mcp::cli
