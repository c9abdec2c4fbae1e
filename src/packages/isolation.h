// How a launcher is kept from the folder of a session: it runs elsewhere, what it starts runs in
// that folder (docs/launchers.md, docs/decisions/0018-launchers.md). Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "packages/launcher_table.h"

namespace pi_mcp::packages {

// A file of ours that a launcher loads.
enum class Helper : std::uint8_t { none, node, python };

struct Isolated {
  Launcher launcher = Launcher::npm_exec;
  CommandLine line;
  std::string folder;  // where the launcher runs, absolute
  // Set for it, and for what it starts; an existing value of a …_OPTIONS variable is kept in front.
  std::map<std::string, std::string> variables;
  Helper helper = Helper::none;
  // Cannot be isolated: it may run only where the folder has none of its files.
  bool needs_clean_folder = false;
};

// nullopt: the command line does not start a launcher of the table, or names the folder itself (a
// path as package or command, an option such as `uv --directory`), and runs as written.
std::optional<Isolated> isolate(const CommandLine& line, const std::string& session_folder);

}  // namespace pi_mcp::packages
