// `pi-mcp __complete`: what the completion scripts of completion.h ask.
#pragma once

#include "cli/exit_status.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

// Prints candidates; starts no server and says nothing about a configuration that is wrong.
ExitStatus run_complete_command(const Setup& setup);

}  // namespace pi_mcp::cli
