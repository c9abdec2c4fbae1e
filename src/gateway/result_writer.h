// Writes a ToolResult as the CallToolResult that a host receives. Pure.
#pragma once

#include "gateway/tool_result.h"
#include "rpc/outgoing.h"

namespace pi_mcp::gateway {

// {"content":[...],"isError":true?,"_meta":{"pi-mcp/details":{...}}}. A passed result keeps its
// bytes: only the details are put in between.
rpc::Outgoing call_tool_result(const ToolResult& result);

}  // namespace pi_mcp::gateway
