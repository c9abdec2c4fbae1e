// `pi-mcp __complete`: what the completion scripts of completion.h ask.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

// Prints candidates; starts no server and says nothing about a configuration that is wrong.
ExitStatus run_complete_command(const Setup& setup);

}  // namespace pi_mcp::cli
