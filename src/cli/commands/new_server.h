// `pi-mcp add`: from a command line to the entry of a new server. Pure.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/words/command_line.h"

namespace pi_mcp::cli {

struct NewServer {
  std::string name;
  std::string entry_json;
};

// A command in one word with spaces ("npx -y x") is divided, unless `is_program` says that a
// program is called like that. invalid_argument says what is wrong and how to write it.
Result<NewServer> new_server(const CommandLine& line,
                             const std::function<bool(const std::string& word)>& is_program);

}  // namespace pi_mcp::cli
