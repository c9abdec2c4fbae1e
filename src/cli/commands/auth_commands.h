// The commands that log in to a server and out of it: auth, logout.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

// Runs the command on an event loop of its own and prints how it went.
ExitStatus run_auth_command(const Setup& setup);

}  // namespace pi_mcp::cli
