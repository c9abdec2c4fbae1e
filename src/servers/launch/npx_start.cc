#include "servers/launch/npx_start.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "packages/handover.h"
#include "packages/launcher_scripts.h"
#include "packages/npm_cache.h"
#include "servers/launch/isolated_start.h"
#include "servers/launch/npx_cache.h"

namespace pi_mcp::servers {
namespace {

// Longer than anybody should go without updates. A program that is only ever called from a shell
// never runs long enough to look for them in the background.
constexpr std::int64_t foreground_after_ms = 30 * npx_check_after_ms;

// Which installed program stands for the package as written, and since when that is known.
struct Choice {
  packages::InstalledProgram program;
  EpochMs known_at;
};

// A check puts a new version into the folder of that version, so that running servers keep theirs;
// npx itself puts it into the folder of the spec as written. What happened last counts.
std::optional<Choice> choose(const std::string& npm_dir,
                             const packages::NpxCommand& command,
                             const std::optional<NpxCacheEntry>& known) {
  std::optional<packages::InstalledProgram> own = packages::find_installed(npm_dir, command);
  const EpochMs checked_at = known ? known->resolved_at : EpochMs{};
  if (known && !known->version.empty() && !command.package.is_exact() &&
      (!own || (own->version != known->version && own->installed_at < checked_at))) {
    std::optional<packages::InstalledProgram> newer =
        packages::find_installed(npm_dir, command.pinned(known->version));
    own = newer ? std::move(newer) : std::move(own);
  }
  if (!own) {
    return std::nullopt;
  }
  const EpochMs known_at = std::max(checked_at, own->installed_at);
  return Choice{.program = *std::move(own), .known_at = known_at};
}

// As a program of its own it reads nothing of what a launcher would read.
void leave_launcher(Launch& launch) {
  if (launch.kept_out) {
    launch.kept_out = false;
    add_program_variables(launch);
  }
}

Launch direct(Launch launch,
              const packages::NpxCommand& command,
              const packages::InstalledProgram& program) {
  log::info(launch.server + ": starting " + program.path + " instead of " + launch.command);
  launch.args = command.args;
  if (program.node_script) {
    launch.args.insert(launch.args.begin(), program.path);
    launch.command = "node";
  } else {
    launch.command = program.path;
  }
  leave_launcher(launch);
  return launch;
}

}  // namespace

std::string launcher_folder(const Launch& launch) {
  return launch.kept_out ? std::string(packages::launch_folder) : launch.cwd;
}

NpxStart without_npm(Launch launch, EpochMs now) {
  const std::optional<packages::NpxCommand> command =
      packages::parse_npx_command(launch.command, launch.args);
  const packages::NpmPlace place{.variables = launch.env, .cwd = launcher_folder(launch)};
  const std::optional<std::string> npm_dir =
      command ? packages::npm_cache_dir(place) : std::nullopt;
  NpxStart start;
  if (!npm_dir || packages::npx_prefers_local(place, *command)) {
    const std::string program =
        npm_dir && launch.kept_out ? packages::global_program(place, *command) : "";
    if (!program.empty()) {
      launch.command = program;
      launch.args = command->args;
      leave_launcher(launch);
    }
    start.launch = std::move(launch);
    return start;
  }
  const NpxCache cache(launch, *command);
  const std::optional<NpxCacheEntry> known = cache.read();
  const std::optional<Choice> chosen = choose(*npm_dir, *command, known);
  if (!chosen) {
    start.missing = command;
    start.launch = std::move(launch);
    return start;
  }
  const bool exact = command->package.is_exact();
  const std::int64_t age = age_ms(chosen->known_at, now);
  if (!exact && age >= foreground_after_ms) {
    cache.write({.program = "", .resolved_at = now, .version = ""});
    start.launch = std::move(launch);
    return start;
  }
  const packages::InstalledProgram& program = chosen->program;
  if (!known || known->program != program.path) {
    cache.write({.program = program.path,
                 .resolved_at = chosen->known_at,
                 .version = program.version,
                 .node_script = program.node_script});
  }
  if (!exact && age >= npx_check_after_ms && (!known || known->retry_at <= now)) {
    start.check = NpxCheck{
        .launch = launch, .command = *command, .npm_dir = *npm_dir, .version = program.version};
  }
  start.launch = direct(std::move(launch), *command, program);
  return start;
}

Launch npm_first(Launch launch) {
  // Kept from the folder it becomes such a line anyway (isolated_start.h).
  const std::optional<packages::LauncherCall> call =
      packages::read_launcher_call({.command = launch.command, .args = launch.args});
  if (!launch.kept_out && call) {
    packages::CommandLine line = packages::npx_handover(launch.command, *call, launch.cwd);
    launch.command = std::move(line.command);
    launch.args = std::move(line.args);
  }
  return launch;
}

}  // namespace pi_mcp::servers
