#include "servers/launch/uv_start.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/log.h"
#include "base/text.h"
#include "config/load.h"
#include "io/files/file.h"
#include "io/process/run_command.h"
#include "json/writer.h"
#include "packages/handover.h"
#include "packages/isolation.h"
#include "packages/launcher_scripts.h"
#include "packages/python_line.h"

namespace pi_mcp::servers {
namespace {

constexpr std::size_t note_bytes_max = std::size_t{64} << 10U;
// As for npx (npx_start.cc): when a newer version is looked for, and when nobody did so long.
constexpr std::int64_t check_after_ms = std::int64_t{24} * 60 * 60 * 1000;
constexpr std::int64_t foreground_after_ms = 30 * check_after_ms;
constexpr io::CommandLimits check_limits{.time_max = Milliseconds(1'800'000),
                                         .output_bytes_max = std::size_t{1} << 20U};

std::string variable(const Launch& launch, const std::string& name) {
  const auto found = launch.env.find(name);
  return found == launch.env.end() ? "" : found->second;
}

std::string set_or(const std::string& value, const std::string& otherwise) {
  return value.empty() ? otherwise : value;
}

// Which file is uv's note on this command and these variables.
std::string note_path(const Launch& launch, const packages::UvTool& tool) {
  json::Writer key;
  key.begin_array().string(tool.launcher.command);
  for (const std::string& option : tool.launcher.args) {
    key.string(option);
  }
  key.string(tool.program.front());
  for (const auto& [name, value] : launch.env) {
    if (name.starts_with("UV_") || name.starts_with("PYENV_") || name.starts_with("CONDA_")) {
      key.string(name).string(value);
    }
  }
  config::Environment environment;
  environment.variables.insert(launch.env.begin(), launch.env.end());
  environment.home = variable(launch, "HOME");
  return config::agent_dir(environment) + "/launch/uv-" +
         sha256_hex(key.end_array().text()).substr(0, 16);
}

std::string version_file(std::string folder) {
  for (;; folder.resize(folder.rfind('/'))) {
    const std::string path = folder + (folder.ends_with('/') ? "" : "/") + ".python-version";
    if (io::is_file(path) || folder.rfind('/') == std::string::npos) {
      return path;
    }
  }
}

// Stays the same as long as uv would find the same again.
std::string stamp_of(const Launch& launch, const packages::UvTool& tool) {
  const std::string home = variable(launch, "HOME");
  const std::string settings =
      set_or(variable(launch, "XDG_CONFIG_HOME"), home + "/.config") + "/uv/";
  const std::string tools =
      set_or(variable(launch, "UV_TOOL_DIR"),
             set_or(variable(launch, "XDG_DATA_HOME"), home + "/.local/share") + "/uv/tools");
  std::string text = variable(launch, "PATH");
  for (const std::string& path : {settings + "uv.toml",
                                  settings + ".python-version",
                                  std::string("/etc/uv/uv.toml"),
                                  home + "/.pyenv/version",
                                  tools + "/" + tool.package + "/uv-receipt.toml",
                                  version_file(launch.kept_out ? "" : launch.cwd)}) {
    if (const std::optional<EpochMs> changed = io::modified_at(path)) {
      text += "\n" + path + " " + std::to_string(changed->value);
    }
  }
  return sha256_hex(text);
}

// What uv told, if its environment is still there.
struct Found {
  std::string stamp;
  std::string uv;   // empty: of an old one that does not tell
  std::string bin;  // the folder of the environment's programs
};

std::optional<Found> read_note(const std::string& path, const std::string& program) {
  const std::string text = io::read_file(path, note_bytes_max).value_or("").value_or("");
  const std::vector<std::string_view> lines = text::split(text, '\n');
  if (lines.size() < 3 || !lines[2].starts_with('/')) {
    return std::nullopt;
  }
  Found found{
      .stamp = std::string(lines[0]), .uv = std::string(lines[1]), .bin = std::string(lines[2])};
  // A program of Python whose interpreter is gone does not start.
  const bool there = io::is_file(found.bin + "/" + program) && io::is_file(found.bin + "/python");
  return there ? std::optional(std::move(found)) : std::nullopt;
}

Launch direct(Launch launch, packages::UvTool tool, const Found& found) {
  launch.command = found.bin + "/" + tool.program.front();
  log::info(launch.server + ": starting " + launch.command + " without uv");
  launch.args.assign(tool.program.begin() + 1, tool.program.end());
  std::string& path = launch.env["PATH"];
  path = found.bin + (path.empty() ? "" : ":") + path;  // an empty entry is the working directory
  if (!found.uv.empty()) {
    launch.env["UV"] = found.uv;
  }
  return launch;
}

Launch handed_over(Launch launch, packages::UvTool tool, const packages::UvNote& note) {
  if (launch.kept_out) {
    tool.program = packages::without_folder_modules(tool.program, launch.cwd);
  }
  packages::CommandLine line = packages::uv_handover(tool, note, launch.cwd);
  launch.command = std::move(line.command);
  launch.args = std::move(line.args);
  if (std::exchange(launch.kept_out, false)) {
    launch.cwd = packages::launch_folder;
  }
  return launch;
}

// Variables that only uv can follow, or a path into the session's folder (isolation.h).
bool is_for_uv_alone(const Launch& launch) {
  if (launch.kept_out &&
      !packages::isolate({.command = launch.command, .args = launch.args}, launch.cwd)) {
    return true;
  }
  constexpr std::array<const char*, 2> names = {"UV_NO_CACHE", "UV_ENV_FILE"};
  return std::any_of(names.begin(), names.end(), [&](const char* name) {
    return !variable(launch, name).empty();
  });
}

}  // namespace

UvStart without_uv(Launch launch, EpochMs now) {
  const std::optional<packages::UvTool> tool =
      packages::parse_uv_tool({.command = launch.command, .args = launch.args});
  UvStart start;
  if (!tool || is_for_uv_alone(launch)) {
    start.launch = std::move(launch);
    return start;
  }
  packages::UvNote note{
      .path = note_path(launch, *tool), .stamp = stamp_of(launch, *tool), .last = ""};
  const std::optional<EpochMs> written = io::modified_at(note.path);
  const std::optional<Found> found = read_note(note.path, tool->program.front());
  const std::int64_t age = written ? now.value - written->value : 0;
  if (found && tool->lasting && found->stamp == note.stamp && age < foreground_after_ms) {
    if (age >= check_after_ms) {
      packages::CommandLine line = packages::uv_handover(*tool, note, "");
      start.check = UvCheck{
          .server = launch.server,
          .note = note.path,
          .command = {.program = std::move(line.command),
                      .arguments = std::move(line.args),
                      .environment = launch.env,
                      .folder = launch.kept_out ? std::string(packages::launch_folder) : launch.cwd,
                      .background = true}};
    }
    start.launch = direct(std::move(launch), *tool, *found);
    return start;
  }
  const Result<void> folder = io::make_folders(note.path.substr(0, note.path.rfind('/')));
  if (!folder) {
    log::warning("what uv finds is not kept: " + folder.error().message());
  }
  if (found) {
    note.last = found->uv + "\n" + found->bin;
  } else {
    start.installing = tool->spec;
  }
  start.found = [path = note.path, written] {
    return io::modified_at(path) != written;
  };
  start.launch = handed_over(std::move(launch), *tool, note);
  return start;
}

io::Task<void> check_uv(UvCheck check) {
  const Result<std::optional<std::string>> text = io::read_file(check.note, note_bytes_max);
  if (!text || !*text) {
    co_return;
  }
  // Its time says when somebody looked last; nobody else need do so at the same time.
  const Result<void> claimed =
      io::write_file(check.note, **text, {.durability = io::Durability::cache});
  const Result<io::CommandOutput> asked =
      co_await io::run_command(std::move(check.command), check_limits);
  const std::string failure = !claimed                                ? claimed.error().message()
                              : !asked                                ? asked.error().message()
                              : asked->status.code().value_or(1) != 0 ? "uv " + asked->status.text()
                                                                      : "";
  if (!failure.empty()) {
    log::info(check.server + ": looking for a newer version with uv: " + failure);
  }
}

}  // namespace pi_mcp::servers
