// mcp({ action: "reconnect", server? }): ends and starts one server, or every enabled one.
#pragma once

#include "gateway/call_context.h"
#include "gateway/roster.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "io/task.h"

namespace pi_mcp::gateway {

// A line for each server; one that fails does not stop the others, but makes the result an error.
io::Task<ToolResult> reconnect_servers(Roster* roster, ToolRequest request, CallContext context);

}  // namespace pi_mcp::gateway
