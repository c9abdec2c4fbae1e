// mcp({ describe }): everything about one tool. Offline: starts nothing.
#pragma once

#include "gateway/roster.h"
#include "gateway/search_index.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {

ToolResult describe_result(const Roster& roster,
                           SearchIndex& index,
                           const ToolRequest& request,
                           const MarksOf& marks_of);

}  // namespace pi_mcp::gateway
