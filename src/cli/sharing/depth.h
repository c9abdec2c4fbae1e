// How deep pi-mcp serves pi-mcp. A server that starts pi-mcp itself, behind a wrapper, would start
// all servers again and so on. A server that is an agent may have a pi-mcp of its own.
#pragma once

#include <map>
#include <string>

namespace pi_mcp::cli {

inline constexpr int depth_max = 3;

// How many of us are above a program with these variables.
int depth_of(const std::map<std::string, std::string>& variables);
// What servers of a session with these variables are told. Not done to those that a front hands on
// or keeps: after a death it would be done again.
void go_deeper(std::map<std::string, std::string>& variables);

}  // namespace pi_mcp::cli
