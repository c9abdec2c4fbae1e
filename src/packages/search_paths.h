// Variables that list folders to search. An empty or relative entry in one means the folder a
// program runs in, often by accident (`PYTHONPATH=$PYTHONPATH:/x`). Pure.
#pragma once

#include <map>
#include <string>

namespace pi_mcp::packages {

// Takes such entries out of PATH, and out of the variables of dynamic loader, Python, Node.js, Ruby
// and Perl unless `configured`, the environment that the user wrote for this server, sets them. A
// variable of which nothing is left is removed.
void remove_relative_entries(std::map<std::string, std::string>& variables,
                             const std::map<std::string, std::string>& configured);

}  // namespace pi_mcp::packages
