// The definition of the one tool we show to a host. A constant: it depends on no configuration and
// on nothing that happens at run time, so that a host's prompt cache stays valid for ever. Pure.
#pragma once

#include <string_view>

namespace pi_mcp::gateway {

// The tool's name, "mcp".
std::string_view mcp_tool_name();

// The Tool object of tools/list: name, description, inputSchema. JSON, at most 200 o200k tokens.
std::string_view mcp_tool_definition();

// The whole result of tools/list.
std::string_view tools_list_result();

}  // namespace pi_mcp::gateway
