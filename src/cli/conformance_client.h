// `pi-mcp dev conformance-client URL`: the client that the official MCP conformance suite starts.
// Hidden; it has no protocol code of its own.
#pragma once

#include "cli/exit_status.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

// Connects to the url as a configured server, does what the scenario in the suite's environment
// variables wants, and ends. done: all of it succeeded. usage: a scenario without a plan.
ExitStatus run_conformance_client(const Setup& setup);

}  // namespace pi_mcp::cli
