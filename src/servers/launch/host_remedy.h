// For servers that want a variable which the host has not handed on to us: several hosts start
// their servers, and so pi-mcp, with few variables. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/settings.h"

namespace pi_mcp::servers {

// The variables that the server's launch uses and that are not set, sorted, each once.
std::vector<std::string> missing_variables(const config::Server& server,
                                           const config::Environment& environment);

// What the user does about it in the host with this name (clientInfo), as a sentence; empty when
// there is no host, or it hands on everything.
std::string host_remedy(std::string_view host, const std::vector<std::string>& variables);

}  // namespace pi_mcp::servers
