// One server of a registry; for its source files only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/loop/condition.h"
#include "registry/lifecycle_notices.h"
#include "registry/server_registry.h"
#include "secrets/secrets.h"
#include "servers/lifecycle.h"

namespace pi_mcp::registry {

struct ServerRegistry::Resolution {
  explicit Resolution(const io::Executor& executor) : ended(executor) {}

  io::Condition ended;
  std::optional<Result<servers::Launch>> launch;  // nullopt once it has ended: cancelled
};

// Stays at its address: it names the session's subscriptions in the pool.
struct ServerRegistry::Entry {
  ServerPtr server;
  std::string key;  // launch key of the newest start; empty before the first
  servers::Deadlines deadlines;
  std::shared_ptr<servers::Connection> connection;  // the newest one; may have ended
  // A start that failed before the pool knew of it: a variable that is missing, a secret command.
  std::optional<Failure> unresolved;
  ErrorCode code = ErrorCode::unavailable;      // of the last start that failed in the pool
  std::optional<Failure> last_failure;          // also when it works again
  secrets::Secrets secrets;                     // of its newest launch
  bool wrote_stderr = false;                    // since new_stderr()
  std::vector<const PhaseListener*> listeners;  // calls that wait for its start
  std::shared_ptr<Resolution> resolution;       // of its launch, under way
  LifecycleNotices notices{servers::LifecycleLimits{}.stable_after};
  // A newer configuration has no place for it; calls under way end with it.
  bool retired = false;
};

}  // namespace pi_mcp::registry
