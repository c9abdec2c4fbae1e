// What people see and stop of the process that all sessions share.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"
#include "io/loop/task.h"

namespace pi_mcp::cli {

// `pi-mcp stop`: ends servers of it.
ExitStatus run_stop_command(const Setup& setup);

// Prints who shares it now. Starts none; one that does not answer has nothing to show.
io::Task<void> show_shared(const Setup* setup);

}  // namespace pi_mcp::cli
