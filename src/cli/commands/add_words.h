// `pi-mcp add`: from a command line to the servers that it names. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/words/command_line.h"
#include "cli/words/tool_arguments.h"
#include "tool/modes/new_server.h"

namespace pi_mcp::cli {

// `NAME URL`, `NAME -- COMMAND`, `NAME JSON` with one entry, or JSON with several under mcpServers;
// JSON is a word, "-" or "@FILE". At least one; invalid_argument says what is wrong and how to
// write it.
Result<std::vector<tool::NewServer>> added_servers(const CommandLine& line,
                                                   const tool::NewServerFacts& facts,
                                                   const ReadFile& read);

// The entry that --stdio or --url of a command mean; for servers that are used once.
Result<std::string> entry_of_options(const CommandLine& line, const tool::NewServerFacts& facts);

}  // namespace pi_mcp::cli
