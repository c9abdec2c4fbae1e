// mcp({ server }): the names of one server's tools. Offline: starts nothing.
#pragma once

#include "gateway/roster.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {

ToolResult list_result(const Roster& roster, const ToolRequest& request, const MarksOf& marks_of);

// The list of a server that is configured and enabled; also what connect answers.
ToolResult tool_list(const Roster& roster,
                     std::string_view server,
                     const ToolRequest& request,
                     const MarksOf& marks_of);

}  // namespace pi_mcp::gateway
