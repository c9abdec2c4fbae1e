// What a host hears of a request while it runs.
#pragma once

#include <functional>

#include "gateway/session.h"
#include "mcp/server/server_session.h"
#include "rpc/message.h"
#include "tool/call_context.h"

namespace pi_mcp::host {

// The machine, and what does as it says.
struct ProgressTo {
  mcp::ServerSession* machine = nullptr;
  std::function<void()> act;
};

// For a request that wants progress: what its server reports, and our phases. A shell is told of
// these apart, since it makes a line of its own; a host that has one server as it is hears of none.
void tell_progress(const ProgressTo& to,
                   mcp::RequestKey key,
                   const rpc::Message& request,
                   gateway::Session& session,
                   tool::CallContext& context);

}  // namespace pi_mcp::host
