// The configuration as one principal sees it. Pure.
#pragma once

#include <string>
#include <vector>

#include "access/principal.h"
#include "config/settings.h"

namespace pi_mcp::access {

[[nodiscard]] bool may_use(const Principal& principal, const std::string& server);

// It says whose it is. What this principal may not use is not in it: servers, what is said of them,
// and tools. Of a principal with tool patterns a tool has to be let through by those and by what
// the user's entry says (Server::only_tools).
[[nodiscard]] config::Settings narrow(config::Settings settings, const Principal& principal);

// Servers of the principal that are not configured, or no longer: for a notice, and for
// `pi-mcp token add`.
[[nodiscard]] std::vector<std::string> unknown_servers(const config::Settings& settings,
                                                       const std::vector<std::string>& servers);

}  // namespace pi_mcp::access
