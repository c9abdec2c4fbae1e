// `pi-mcp logs`: what a server wrote to its stderr last, in whichever process it runs or ran.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

ExitStatus run_logs_command(const Setup& setup);

}  // namespace pi_mcp::cli
