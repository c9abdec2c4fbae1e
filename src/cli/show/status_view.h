// `pi-mcp status`, as people read it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/show/running.h"
#include "cli/show/style.h"
#include "servers/server_status.h"
#include "servers/share/parting.h"

namespace pi_mcp::cli {

// A first line with counts, an aligned table with one row for each server and process that runs it,
// under a row why it failed or runs more than once, and the next step. `configured` is what this
// process knows, `running` what others say, `copies` what the shared process says. Lines are cut to
// `columns`, and columns of the table that do not fit are left out; npos: everything has room.
// Foreign texts are shown without control sequences.
std::string status_view(const std::vector<servers::ServerStatus>& configured,
                        const std::vector<RunningServer>& running,
                        const std::vector<servers::Copies>& copies,
                        const Style& style,
                        std::size_t columns);

// In its place where nothing is known because a file of the configuration cannot be read.
std::string unreadable_status_view();

// "9.5 MB", "310 MB".
std::string memory_text(std::size_t bytes);

}  // namespace pi_mcp::cli
