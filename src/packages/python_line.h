// `python -m MODULE` and `python -c CODE` without the folder they start in. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/launcher_table.h"

namespace pi_mcp::packages {

// This command line, to be started in any folder: it goes to `folder` (absolute) before it runs
// the module, and finds no modules there. As with python's own -P, in versions before 3.11 too, and
// not passed on to python processes that the server starts, as PYTHONSAFEPATH would be. nullopt for
// anything but -m and -c, and with -I or -P.
std::optional<CommandLine> without_folder_modules(const CommandLine& line,
                                                  const std::string& folder);

// The same for what a launcher starts; any other program is left as it is.
std::vector<std::string> without_folder_modules(const std::vector<std::string>& program,
                                                const std::string& folder);

// "python3.12", "pypy"; with or without a path.
[[nodiscard]] bool is_python(std::string_view command);

}  // namespace pi_mcp::packages
