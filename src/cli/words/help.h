// The help texts, made from the command table. Pure.
#pragma once

#include <string>

#include "cli/show/style.h"
#include "cli/words/command_table.h"

namespace pi_mcp::cli {

// `pi-mcp --help`: commands by group, global options, examples, exit statuses.
std::string general_help(const Style& style);
// `pi-mcp COMMAND --help`.
std::string command_help(const Command& command, const Style& style);
// The man page pi-mcp(1), as roff.
std::string manual_page();
// "pi-mcp call TOOL [...] [OPTION...]".
std::string usage_line(const Command& command);

}  // namespace pi_mcp::cli
