// The whole program but for main(): from arguments to an exit status.
#pragma once

#include <string>
#include <vector>

namespace pi_mcp::cli {

// `arguments` without the program's name.
int run_program(const std::vector<std::string>& arguments);

}  // namespace pi_mcp::cli
