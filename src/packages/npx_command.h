// Reads `npx …` and `npm exec …` command lines as npm 11 does, far enough to know which package and
// which program they start. In any doubt they give nullopt, and the command runs as written.
// Pure: no I/O, no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace pi_mcp::packages {

// A package as named on a command line: "@scope/name@1.2.3" has name "@scope/name", version
// "1.2.3".
struct PackageSpec {
  std::string text;     // as written; decides the folder in npm's cache
  std::string name;     // with scope
  std::string version;  // "", a version, a range or a tag

  // "1.2.3", "=1.2.3" and "v1.2.3" name one version; ranges and tags do not.
  [[nodiscard]] bool is_exact() const;
  // The version without "=" or "v"; meaningful when is_exact().
  [[nodiscard]] std::string exact_version() const;
  // This package in one version.
  [[nodiscard]] PackageSpec pinned(const std::string& pinned_version) const;
};

// nullopt for anything but a registry package: paths, urls, git and aliases.
std::optional<PackageSpec> parse_package_spec(std::string_view text);

struct NpxCommand {
  PackageSpec package;
  std::string bin;  // asked for by name; empty: the package decides
  std::vector<std::string> args;

  [[nodiscard]] NpxCommand pinned(const std::string& version) const;
};

// Knows `npx [-y|--yes|-q|--quiet] [-p SPEC|--package SPEC|--package=SPEC] [--] SPEC-or-BIN ARGS…`
// and `npm exec [--yes] [--package SPEC|--package=SPEC] -- SPEC-or-BIN ARGS…`. nullopt for other
// commands, other options, and more than one package.
std::optional<NpxCommand> parse_npx_command(std::string_view command,
                                            const std::vector<std::string>& args);

// Name of the folder under <npm cache>/_npx that npm uses for one package: 16 hexadecimal digits.
std::string npx_folder_name(const PackageSpec& package);

struct PackageBin {
  std::string name;  // under node_modules/.bin
  std::string path;  // relative to the package's folder
};

// Which program of a package runs. `manifest` is the package's package.json. With `wanted` empty:
// the only program, else the one named like the package without scope (npm 11, libnpmexec).
std::optional<PackageBin> choose_bin(json::Value manifest,
                                     const PackageSpec& package,
                                     std::string_view wanted);

// A program that node runs: by its extension, or by "node" in its first line after "#!". `head` is
// the beginning of the file.
bool is_node_script(std::string_view path, std::string_view head);

}  // namespace pi_mcp::packages
