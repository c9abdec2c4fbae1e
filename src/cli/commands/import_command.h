// `pi-mcp import`: uses the servers of other programs from their own files.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

// Gives what to print: what is found on this machine and what was added; with --json a JSON value.
Result<std::string> run_import(const Setup& setup);

}  // namespace pi_mcp::cli
