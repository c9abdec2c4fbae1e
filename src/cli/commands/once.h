// A server that a command line brings itself, to use it once: --stdio, --url, or a url where the
// name of a server stands.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/setup.h"
#include "cli/words/command_line.h"
#include "tool/modes/new_server.h"

namespace pi_mcp::cli {

struct OnceServer {
  std::string name;
  std::string entry_json;
  CommandLine line;  // without the url among its words
};

// nullopt: the command line brings none.
Result<std::optional<OnceServer>> once_server(const CommandLine& line,
                                              const tool::NewServerFacts& facts);

// Makes it the only server of `setup`. The entry; empty when the command line brings none.
Result<std::string> use_once(Setup& setup, const tool::NewServerFacts& facts);

// "linear" of https://mcp.linear.app/mcp, "playwright" of npx -y @playwright/mcp.
std::string name_of_entry(const std::string& entry_json);

}  // namespace pi_mcp::cli
