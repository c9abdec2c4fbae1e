// `pi-mcp status` and the list of several servers, as a terminal shows them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/style.h"
#include "gateway/server_status.h"

namespace pi_mcp::cli {

// A first line with counts, one aligned line a server, and the next step when something is missing.
// Lines are cut to `columns`. Server names and reasons are shown without control sequences.
std::string status_view(const std::vector<gateway::ServerStatus>& servers,
                        const Style& style,
                        std::size_t columns);

// "1 tool", "12 tools".
std::string count_text(std::size_t count, std::string_view noun);

}  // namespace pi_mcp::cli
