// Finds programs that npm has already installed for npx, without starting npm. Reads a handful of
// small files; blocks for well under a millisecond on a local disk.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "packages/npx_command.h"

namespace pi_mcp::packages {

// Where an npx command would run; the variables are those of the child.
struct NpmPlace {
  std::map<std::string, std::string> variables;
  std::string cwd;
};

// npm's cache folder: NPM_CONFIG_CACHE, else `cache` of the project's or the user's .npmrc, else
// ~/.npm. nullopt without a home directory to look in.
std::optional<std::string> npm_cache_dir(const NpmPlace& place);

// True when npx would not use its cache but something nearer: a package or program of that name in
// a node_modules folder from the working directory upward, or beside the node of PATH.
bool npx_prefers_local(const NpmPlace& place, const NpxCommand& command);

// The program beside the node of PATH that npx would run for a bare positional; empty: none.
std::string global_program(const NpmPlace& place, const NpxCommand& command);

struct InstalledProgram {
  std::string path;     // absolute, symbolic links resolved
  std::string version;  // of the package
  bool node_script = false;
  EpochMs installed_at{};  // when npm last changed the folder
};

// The program in the folder that npm keeps for exactly this package text. nullopt: not installed or
// not completely, a different version than an exact one asked for, or anything unusual.
std::optional<InstalledProgram> find_installed(const std::string& cache_dir,
                                               const NpxCommand& command);

}  // namespace pi_mcp::packages
