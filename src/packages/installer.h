// Commands that may download a program before they become it. Pure: no I/O, no clock.
#pragma once

#include <string>
#include <vector>

namespace pi_mcp::packages {

// "starting it with uvx, which may install it first"; empty for a command that starts
// what is there.
std::string possible_installation(const std::string& command, const std::vector<std::string>& args);

}  // namespace pi_mcp::packages
