// What people see and stop of the process that all sessions share.
#pragma once

#include <optional>

#include "cli/setup.h"
#include "cli/show/exit_status.h"
#include "io/loop/task.h"
#include "tool/sharing/shared_view.h"

namespace pi_mcp::cli {

// `pi-mcp stop`: ends servers of it.
ExitStatus run_stop_command(const Setup& setup);

// Who shares it now. Starts none; nullopt: there is none, or it does not answer.
io::Task<std::optional<tool::SharedView>> shared_view(const Setup* setup);

}  // namespace pi_mcp::cli
