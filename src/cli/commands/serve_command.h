// `pi-mcp serve`: one host on stdin and stdout, until it goes away.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

ExitStatus run_serve_command(const Setup& setup);

}  // namespace pi_mcp::cli
