#include "gateway/pool_runs.h"

#include <algorithm>
#include <chrono>

namespace pi_mcp::gateway {
namespace {

using State = servers::ServerStatus::State;

State state_of(const servers::PoolStatus& status) {
  switch (status.state) {
    case servers::LifecycleState::ready:
      return State::connected;
    case servers::LifecycleState::starting:
    case servers::LifecycleState::waiting:
      return State::connecting;
    case servers::LifecycleState::stopped:
    case servers::LifecycleState::failed:
    case servers::LifecycleState::closed:
      break;
  }
  return status.code == ErrorCode::unauthorized ? State::needs_auth : State::failed;
}

std::int64_t seconds_between(TimePoint earlier, TimePoint later) {
  return std::max<std::int64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(later - earlier).count(), 0);
}

}  // namespace

runs::RunServer run_server(const servers::PoolRun& run, TimePoint now) {
  const servers::PoolStatus& pooled = run.status;
  servers::ServerStatus status;
  status.name = run.server;
  status.state = state_of(pooled);
  status.tools = run.tools;
  status.process_id = pooled.process_id;
  status.restarts = pooled.restarts;
  if (pooled.connected_at) {
    status.connected_seconds = seconds_between(*pooled.connected_at, now);
  }
  if (status.state != State::connected) {
    status.reason = status.last_error = pooled.reason;
    status.wants_login = status.state == State::needs_auth;
    if (pooled.failed_at) {
      status.failed_seconds_ago = status.last_error_seconds_ago =
          seconds_between(*pooled.failed_at, now);
    }
  }
  return {.status = std::move(status), .identity = run.entry, .log = 0, .words = {}};
}

std::string words_of(const servers::PoolRun& run) {
  return runs::kept_stderr(run.stderr_tail, run.secrets);
}

}  // namespace pi_mcp::gateway
