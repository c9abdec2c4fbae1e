// mcp({ connect }): starts one server, or takes the open connection, and lists its tools.
#pragma once

#include "gateway/call_context.h"
#include "gateway/roster.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "gateway/tool_text.h"
#include "io/task.h"

namespace pi_mcp::gateway {

// `roster` outlives the task.
io::Task<ToolResult> connect_server(Roster* roster,
                                    ToolRequest request,
                                    CallContext context,
                                    MarksOf marks_of);

}  // namespace pi_mcp::gateway
