#include "doctor/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/interpolate.h"
#include "config/paths.h"
#include "io/files/file.h"
#include "io/process/executable.h"
#include "secrets/mask.h"
#include "servers/launch/text.h"

namespace pi_mcp::doctor {
namespace {

// Where programs that a desktop starts look for others: what login managers of Debian and Ubuntu
// set (/etc/login.defs, /etc/environment, ~/.profile), and launchd. What ~/.bashrc or ~/.zshrc add
// is for shells alone.
constexpr std::string_view linux_path =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:"
    "/snap/bin";
constexpr std::string_view macos_path = "/usr/bin:/bin:/usr/sbin:/sbin";
constexpr std::array<std::string_view, 2> login_folders = {".local/bin", "bin"};

// Below the home folder: where installers and version managers put programs, for shells.
constexpr std::array<std::string_view, 11> shell_folders = {".local/bin",
                                                            "bin",
                                                            ".cargo/bin",
                                                            ".bun/bin",
                                                            ".deno/bin",
                                                            "go/bin",
                                                            ".volta/bin",
                                                            ".asdf/shims",
                                                            ".local/share/mise/shims",
                                                            ".pyenv/shims",
                                                            ".local/share/pnpm"};
// The same with a folder for each version: its place, and what stands below a version.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> version_folders = {{
    {".nvm/versions/node", "bin"},
    {".local/share/fnm/node-versions", "installation/bin"},
}};

// Empty when there is none.
std::string found_in(const std::string& folder, const std::string& program) {
  return io::find_executable(folder + "/" + program, {}, "/").value_or("");
}

std::string found_beside_path(const std::string& program, const config::Environment& environment) {
  for (const std::string_view folder : shell_folders) {
    if (std::string path = found_in(environment.home + "/" + std::string(folder), program);
        !path.empty()) {
      return path;
    }
  }
  for (const auto& [place, below] : version_folders) {
    const std::string versions = environment.home + "/" + std::string(place);
    std::vector<std::string> names = io::names_in(versions);
    std::ranges::sort(names, std::ranges::greater());
    for (const std::string& version : names) {
      std::string folder = versions;
      folder.append("/").append(version).append("/").append(below);
      if (std::string path = found_in(folder, program); !path.empty()) {
        return path;
      }
    }
  }
  return "";
}

// "node" for a script that begins with "#!/usr/bin/env node" and has a node beside it.
std::string interpreter_of(const std::string& path) {
  constexpr std::string_view by_name = "#!/usr/bin/env ";
  constexpr std::size_t line_max = 256;
  const std::string head = io::read_head(path, line_max).value_or("");
  if (!head.starts_with(by_name)) {
    return "";
  }
  const std::vector<std::string_view> words =
      text::words(std::string_view(head).substr(by_name.size(), head.find('\n') - by_name.size()));
  const std::string name(words.empty() ? "" : words.front());
  const std::string folder = path.substr(0, path.rfind('/'));
  return name.empty() || found_in(folder, name).empty() ? "" : name;
}

}  // namespace

std::string desktop_path(const config::Environment& environment) {
  if (environment.platform == config::Platform::macos) {
    return std::string(macos_path);
  }
  std::string path(linux_path);
  for (const std::string_view folder : login_folders) {
    path += ":" + environment.home + "/" + std::string(folder);
  }
  return path;
}

ProgramFacts look_for_program(const config::Server& server,
                              const config::Environment& environment) {
  const std::string& written = *server.command;
  ProgramFacts program;
  program.command = secrets::mask_text(written);
  const std::string command =
      config::expand_home(config::interpolate(written, environment).text, environment);
  std::map<std::string, std::string> variables = environment.variables;
  const auto own_path = server.env.find("PATH");
  if (own_path != server.env.end()) {
    variables["PATH"] = config::interpolate(own_path->second, environment).text;
  }
  Result<std::string> found = io::find_executable(command, variables, environment.cwd);
  const std::vector<std::string_view> words = text::words(command);
  program.name = words.empty() ? "" : config::base_name(words.front());
  if (found) {
    program.path = *found;
    const bool by_name = command.find('/') == std::string::npos;
    program.seen_by_desktop =
        !by_name || own_path != server.env.end() ||
        io::find_executable(command, {{"PATH", desktop_path(environment)}}, "/").has_value();
  } else {
    program.has_spaces = words.size() > 1;
    program.advice = servers::command_advice(written);
    program.problem =
        program.has_spaces ? "no program is called like that" : found.error().message();
    program.path =
        program.name == command ? found_beside_path(command, environment) : std::string();
    program.seen_by_desktop = program.path.empty();
  }
  if (!program.seen_by_desktop) {
    program.interpreter = interpreter_of(program.path);
  }
  return program;
}

}  // namespace pi_mcp::doctor
