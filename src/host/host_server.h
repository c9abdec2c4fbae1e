// The MCP server that a host talks to: one tool, `mcp`, run by a session. Protocol only; what the
// tool does is in session.h.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gateway/session.h"
#include "io/loop/task.h"
#include "mcp/server/server_session.h"
#include "transport/transport.h"

namespace pi_mcp::host {

struct HostOptions {
  std::string version;  // of this program, for serverInfo
  // Once the host has said in initialize who it is, and the session knows what it can do.
  std::function<void(const mcp::HostInfo& host)> on_met;
  std::int64_t last_question = 0;  // see mcp::ServerSession::Options
  // The host was met before, in a session that nothing was kept of but this.
  // NOLINTBEGIN(readability-redundant-member-init): may be left out where one is made
  std::optional<mcp::HostInfo> met_before = {};
  mcp::ServerSession::Limits limits = {};
  // NOLINTEND(readability-redundant-member-init)
  // See mcp::ServerSession::Options; null: random texts.
  std::function<std::string()> new_state = nullptr;
};

// Serves until the link ends or the task is cancelled; then cancels the calls in flight and returns
// when they have unwound. Does not close `host` nor the session, which both outlive the task.
io::Task<void> serve_host(transport::Transport* host,
                          gateway::Session* session,
                          HostOptions options);

}  // namespace pi_mcp::host
