// `pi-mcp trust`: what this project's files want, and the user's answer.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

ExitStatus run_trust_command(const Setup& setup);

}  // namespace pi_mcp::cli
