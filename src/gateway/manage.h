// What people do to the servers through a user interface of the host: the tool `mcp_manage`, which
// only such a host is offered. A model that could reach it would change its user's configuration.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/roster.h"
#include "gateway/tool_result.h"
#include "json/document.h"

namespace pi_mcp::gateway {

// Changes the configuration of a server where it is kept, so that it counts in this session when
// the function returns. Gives the file; empty when nothing had to be changed. An error names it too.
using ConfigEdit = std::function<Result<std::string>(
    const std::string& server, std::string_view key, const std::string& value_json)>;

std::string_view manage_tool_name();
// The entry of tools/list, JSON; its _meta says that it is not for the model.
std::string_view manage_tool_definition();

// `arguments` of the call: action (enable, disable, direct-tools, logs), server, and directTools
// for direct-tools. Waits for the lock of the configuration, no longer than ConfigEdit does.
ToolResult manage(const Roster& roster, const ConfigEdit& edit, json::Value arguments);

}  // namespace pi_mcp::gateway
