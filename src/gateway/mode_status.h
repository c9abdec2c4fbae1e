// mcp({}): one line for every configured server. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "gateway/server_status.h"
#include "gateway/tool_result.h"

namespace pi_mcp::gateway {

// What a person reads: the same lines without what a model does next.
std::string status_for_people(const std::vector<ServerStatus>& servers,
                              const config::Settings& settings);

ToolResult status_result(const std::vector<ServerStatus>& servers,
                         const config::Settings& settings);

}  // namespace pi_mcp::gateway
