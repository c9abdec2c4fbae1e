// Whether a server says that it has no tool of the name that was called. Pure.
#pragma once

#include <string_view>

#include "rpc/message.h"

namespace pi_mcp::mcp {

// There is no code of its own for it: an error (-32602, -32601 or another) or a result with
// isError, and a text that every SDK writes in its own way. When in doubt it does not.
bool says_unknown_tool(const rpc::Message& answer, std::string_view tool);

}  // namespace pi_mcp::mcp
