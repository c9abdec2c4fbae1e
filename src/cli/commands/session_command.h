// The commands that ask a session: status, list, search, describe, call, connect.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

// Runs the command on an event loop of its own and prints what it gives.
ExitStatus run_session_command(const Setup& setup);

}  // namespace pi_mcp::cli
