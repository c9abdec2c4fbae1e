// What the files we print to can show.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "io/files/fd.h"

namespace pi_mcp::io {

using EnvironmentMap = std::map<std::string, std::string>;

[[nodiscard]] bool is_terminal(int file);

// The terminal of this process, opened anew for reading without waiting, so that nothing changes
// for others who share it. Not open when there is none.
Fd open_terminal();

// The width of the terminal, else $COLUMNS, else 80.
std::size_t terminal_columns(int file, const EnvironmentMap& environment);

// NO_COLOR (no-color.org) wins, then CLICOLOR_FORCE (bixense.com/clicolors); else a terminal that
// is not TERM=dumb.
bool colour_wanted(int file, const EnvironmentMap& environment);

}  // namespace pi_mcp::io
