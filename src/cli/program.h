// The whole program but for main(): from arguments to an exit status.
#pragma once

#include <string>
#include <vector>

#include "cli/show/build_facts.h"

namespace pi_mcp::cli {

// `arguments` without the program's name; `built` is what `--version` tells.
int run_program(const std::vector<std::string>& arguments, const BuildFacts& built);

}  // namespace pi_mcp::cli
