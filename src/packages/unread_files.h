// Why a launcher that was kept from the session's folder may have failed: a file of that folder
// says what it did not hear. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/launcher_table.h"

namespace pi_mcp::packages {

// A failed start, and the folder of its session.
struct FailedStart {
  Launcher launcher = Launcher::npm_exec;
  std::string folder;       // absolute
  std::string_view said;    // the end of its stderr, or why it could not be started
  std::string_view module;  // of python -m; empty otherwise
};

// The text of a file, nullopt when there is none.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// A sentence that names the file and what makes it count: the folder names another registry and a
// package was not found, it names the version of a tool that has no default version, or it holds
// the module. nullopt: nothing of the folder explains what was said.
std::optional<std::string> unread_file_advice(const FailedStart& start, const ReadFile& read);

// Files of the folder that a launcher which cannot be isolated would read, as paths; `home` and
// what lies above it are the user's own.
std::vector<std::string> files_in_the_way(const std::string& folder,
                                          const std::string& home,
                                          const ReadFile& read);

// "trust that folder, or give the entry a \"cwd\" of its own, to make it count"
extern const std::string_view how_it_counts;

}  // namespace pi_mcp::packages
