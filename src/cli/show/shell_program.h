// What `pi-mcp emit-cli` prints: a POSIX shell script with a command for each tool of a server.
// Names and texts of servers, who may be anybody, are data in it whatever they are. Pure.
#pragma once

#include <string>
#include <vector>

#include "catalog/tool.h"

namespace pi_mcp::cli {

struct ShellProgram {
  std::string server;              // as it is called in texts
  std::vector<std::string> call;   // behind "pi-mcp", up to the tool: "call", "--server", "github"
  std::vector<std::string> words;  // the command line that makes this program
};

struct ShellScript {
  std::string text;
  // Tools without a command: nobody can write their names.
  std::vector<std::string> left_out;
};

// The same for the same tools, whenever it is made.
ShellScript shell_script(const ShellProgram& program, std::vector<catalog::CatalogTool> tools);

}  // namespace pi_mcp::cli
