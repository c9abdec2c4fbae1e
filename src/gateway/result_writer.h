// Writes an answer as the CallToolResult that a host receives. Pure.
#pragma once

#include <string_view>

#include "gateway/answer.h"
#include "rpc/outgoing.h"

namespace pi_mcp::gateway {

// {"content":[...],"isError":true?,"_meta":{"pi-mcp/details":{...}}}. `text` is our own, see
// Session::text_of(). A server's own result keeps its bytes: only the details are put in between.
rpc::Outgoing call_tool_result(const Answer& answer, std::string_view text);

}  // namespace pi_mcp::gateway
