// `pi-mcp trust`: what this project's files want, and the user's answer.
#pragma once

#include "cli/exit_status.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

ExitStatus run_trust_command(const Setup& setup);

}  // namespace pi_mcp::cli
