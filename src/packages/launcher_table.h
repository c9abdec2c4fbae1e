// The launchers that are kept from the session's folder, and how far each one's command line has to
// be understood for that (docs/launchers.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::packages {

enum class Launcher : std::uint8_t {
  npm_exec,
  pnpm_dlx,
  yarn_dlx,
  bunx,
  bun_file,
  uv_tool,
  uv_run,
  pipx_run,
  deno,
  dotnet_tool,
  python,
};

// What is named in spaces are options without their dashes.
struct LauncherRow {
  Launcher launcher;
  std::string_view program;   // file name of the command
  std::string_view words;     // that follow, options between them: "tool run"
  std::string_view valued;    // options that take a value
  std::string_view packages;  // that say what is installed
  std::string_view files;     // whose value is a file
  std::string_view folders;   // that name the folder to work in
  // npm's rule: every option takes a value unless it is one of `flags`.
  // NOLINTNEXTLINE(readability-redundant-member-init): the table leaves it out.
  std::string_view flags = {};
};

struct CommandLine {
  std::string command;
  std::vector<std::string> args;
};

// A command line taken apart.
struct LauncherCall {
  const LauncherRow* row = nullptr;
  std::vector<std::string> options;   // all in front of the program, words of the row included
  std::vector<std::string> names;     // of the options, without dashes
  std::vector<std::string> packages;  // values of options that say what is installed
  std::vector<std::string> program;   // what is started, and its arguments
  std::optional<std::size_t> call;    // in `options`: a line of shell, "-c=" or the like before it
  bool names_folder = false;          // an option names the folder to work in
  bool names_file = false;            // an option's value is a file of the session's folder

  [[nodiscard]] bool has(std::string_view name) const;
};

// nullopt when the command starts no launcher of the table (python has no row: its options are
// unlike the others', see python_line.h).
std::optional<LauncherCall> read_launcher_call(const CommandLine& line);

// Whether a package, a file or a program of a command line is looked for in the folder in which the
// launcher runs: `.`, `./x`, `../x`, `file:x`, `name@file:x`, `x.tgz`.
[[nodiscard]] bool is_in_folder(std::string_view text);

// `text` behind its last slash.
std::string_view file_name(std::string_view path);

}  // namespace pi_mcp::packages
