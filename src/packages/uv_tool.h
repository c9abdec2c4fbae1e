// Reads `uvx …` and `uv tool run …` far enough to have uv make the tool's environment and to start
// the program in it without uv (docs/decisions/0040-no-launcher-stays.md). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packages/launcher_table.h"

namespace pi_mcp::packages {

struct UvTool {
  CommandLine launcher;              // with --from, without the program
  std::string spec;                  // as written
  std::string package;               // its name as uv writes it: "mcp-server-git"; empty: of a url
  std::vector<std::string> program;  // and its arguments
  // What uv has found once is what these words mean: no @latest, no --refresh, no file that may
  // change.
  bool lasting = true;
};

// nullopt for other commands, for an option that is unknown or only uv can follow (--env-file,
// --no-cache, …), and where a package, a program or a file is a path in the working directory.
std::optional<UvTool> parse_uv_tool(const CommandLine& line);

// "mcp-server-git" of "mcp-server-git[x]==1.2" or "mcp-server-git@latest"; empty for a url.
std::string python_program(const std::string& spec);

// A path in the working directory, as what uv and pipx install.
[[nodiscard]] bool is_python_package_in_folder(const std::string& text);

}  // namespace pi_mcp::packages
