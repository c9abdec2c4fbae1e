// mcp({ tool, args, server? }): finds the tool, checks the arguments, starts its server when that
// is needed, calls, and relays the answer.
#pragma once

#include <cstddef>

#include "gateway/approvals.h"
#include "gateway/call_context.h"
#include "gateway/relay.h"
#include "gateway/roster.h"
#include "gateway/schema_memo.h"
#include "gateway/search_index.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "io/task.h"

namespace pi_mcp::gateway {

// What calls of one session share. The pointers outlive every call.
struct CallParts {
  Roster* roster = nullptr;
  SearchIndex* index = nullptr;
  SchemaMemo* schemas = nullptr;
  Approvals* approvals = nullptr;
  HostKind host = HostKind::mcp;
  RelayLimits limits;
  std::size_t details_bytes_max = 0;  // larger raw results are summarised in the details
  Spill spill;
};

// `parts` outlives the task. Cancelling the task cancels the server's call.
io::Task<ToolResult> call_tool(const CallParts* parts, ToolRequest request, CallContext context);

}  // namespace pi_mcp::gateway
