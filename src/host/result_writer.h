// Writes an answer as the CallToolResult that a host receives. Pure.
#pragma once

#include <string_view>

#include "rpc/outgoing.h"
#include "tool/answer.h"

namespace pi_mcp::host {

// {"content":[...],"isError":true?,"_meta":{"pi-mcp/details":{...}}?}. `text` is our own, see
// Session::text_of(). A server's own result keeps its bytes: only the details are put in between.
rpc::Outgoing call_tool_result(const tool::Answer& answer,
                               std::string_view text,
                               bool with_details);

}  // namespace pi_mcp::host
