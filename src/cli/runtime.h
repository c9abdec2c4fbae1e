// The composition root: the pool of servers and one session over it.
#pragma once

#include "config/environment.h"
#include "config/settings.h"
#include "gateway/session.h"
#include "io/task.h"
#include "servers/connector.h"
#include "servers/pool.h"

namespace pi_mcp::cli {

class Runtime {
 public:
  // Starts no server.
  Runtime(const io::Executor& executor,
          config::Settings settings,
          config::Environment environment,
          gateway::HostKind host,
          gateway::ConfigAccess access = {});

  [[nodiscard]] gateway::Session& session() { return session_; }
  [[nodiscard]] const gateway::Session& session() const { return session_; }
  // Ends the session and every server. Must have returned before destruction.
  io::Task<void> close();

 private:
  servers::Connector connector_;
  servers::Pool pool_;
  gateway::Session session_;
};

}  // namespace pi_mcp::cli
