// The commands that show and change configuration: config, add, remove, enable, disable, import.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

ExitStatus run_config_command(const Setup& setup);

}  // namespace pi_mcp::cli
