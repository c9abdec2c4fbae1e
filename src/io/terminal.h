// What the files we print to can show.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace pi_mcp::io {

using EnvironmentMap = std::map<std::string, std::string>;

[[nodiscard]] bool is_terminal(int file);

// Of the terminal, else $COLUMNS, else 80.
std::size_t terminal_columns(int file, const EnvironmentMap& environment);

// NO_COLOR (no-color.org) wins, then CLICOLOR_FORCE (bixense.com/clicolors); else a terminal that
// is not TERM=dumb.
bool colour_wanted(int file, const EnvironmentMap& environment);

}  // namespace pi_mcp::io
