// Paths of the three platforms as plain text: what a file is called on a machine we may not be on.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"

namespace pi_mcp::config {

// `relative` is written with slashes; on Windows they become backslashes.
std::string join_path(const Environment& environment,
                      std::string_view base,
                      std::string_view relative);

[[nodiscard]] bool is_absolute(const Environment& environment, std::string_view path);

// `path` with ~ expanded, against `base` when it is relative.
std::string absolute_path(const Environment& environment,
                          std::string_view base,
                          std::string_view path);

// The directory that holds `path`; empty at the root.
std::string_view parent_path(const Environment& environment, std::string_view path);

// The last part of a path, whichever slash was used.
std::string_view base_name(std::string_view path);

// `path` itself and every directory above it, nearest first.
std::vector<std::string> with_parents(const Environment& environment, std::string_view path);

[[nodiscard]] bool is_inside(const Environment& environment,
                             std::string_view path,
                             std::string_view directory);

// The folder that a variable names ($CODEX_HOME), else the one of that name in the home directory.
std::string chosen_folder(const Environment& environment,
                          std::string_view variable,
                          std::string_view otherwise);

// Where programs of this platform keep their files: $XDG_CONFIG_HOME or ~/.config,
// ~/Library/Application Support, %APPDATA%.
std::string application_data(const Environment& environment);
// $XDG_CONFIG_HOME or ~/.config, for programs that keep to it everywhere.
std::string user_config(const Environment& environment);

}  // namespace pi_mcp::config
