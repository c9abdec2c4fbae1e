// mcp({ instructions }): what a server says about its use. Offline: starts nothing.
#pragma once

#include "gateway/roster.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"

namespace pi_mcp::gateway {

ToolResult instructions_result(const Roster& roster, const ToolRequest& request);

}  // namespace pi_mcp::gateway
