// `pi-mcp serve --http ADDRESS`: hosts over HTTP, until a signal ends it.
#pragma once

#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

ExitStatus run_http_command(const Setup& setup);

}  // namespace pi_mcp::cli
