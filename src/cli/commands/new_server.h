// `pi-mcp add`: from a command line to the entry of a new server. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/words/command_line.h"

namespace pi_mcp::cli {

struct NewServer {
  std::string name;
  std::string entry_json;
};

// invalid_argument says what is wrong and how to write it.
Result<NewServer> new_server(const CommandLine& line);

}  // namespace pi_mcp::cli
