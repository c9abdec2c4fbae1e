#include "servers/launch/isolated_start.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/load.h"
#include "io/files/file.h"
#include "json/writer.h"
#include "packages/isolation.h"
#include "packages/launcher_scripts.h"
#include "packages/unread_files.h"

namespace pi_mcp::servers {
namespace {

// So much is read of a file that may explain a failure.
constexpr std::size_t looked_bytes_max = std::size_t{1} << 20U;

std::optional<std::string> small_file(const std::string& path) {
  if (!io::is_file(path)) {
    return std::nullopt;
  }
  Result<std::optional<std::string>> text = io::read_file(path, looked_bytes_max);
  return text ? std::move(*text) : std::optional<std::string>("");
}

std::string variable(const Launch& launch, const std::string& name) {
  const auto found = launch.env.find(name);
  return found == launch.env.end() ? "" : found->second;
}

// The folder below agentDir with one helper in it.
Result<std::string> helper_folder(const Launch& launch,
                                  const std::string& file,
                                  std::string_view text) {
  config::Environment environment;
  environment.variables.insert(launch.env.begin(), launch.env.end());
  environment.home = variable(launch, "HOME");
  const std::string folder = config::agent_dir(environment) + "/launch";
  const std::string path = folder + "/" + file;
  const Result<std::optional<std::string>> there = io::read_file(path, looked_bytes_max);
  if (!there || *there != text) {
    const Result<void> written = io::write_file(path, text, {.durability = io::Durability::cache});
    if (!written) {
      return fail(written.error());
    }
  }
  return io::canonical_path(folder);
}

void set_options(Launch& launch, const std::string& name, const std::string& value) {
  std::string& options = launch.env[name];
  options += options.empty() ? value : " " + value;
}

Result<void> add_helper(Launch& launch, packages::Helper helper) {
  const bool node = helper == packages::Helper::node;
  const std::string file = node ? "yarn_dlx.cjs" : "sitecustomize.py";
  const Result<std::string> folder =
      helper_folder(launch, file, node ? packages::node_helper : packages::python_helper);
  if (!folder) {
    return fail(folder.error());
  }
  launch.env[packages::folder_variable] = launch.cwd;
  if (node) {
    json::Writer path;
    path.string(*folder + "/" + file);
    set_options(launch, "NODE_OPTIONS", "--require " + path.take());
  } else {
    launch.env["PYTHONPATH"] = *folder;
  }
  return {};
}

// Python starts elsewhere; relative entries that are left are those that the user wrote.
void make_python_path_absolute(Launch& launch) {
  const auto found = launch.env.find("PYTHONPATH");
  if (found == launch.env.end()) {
    return;
  }
  std::vector<std::string> entries;
  for (const std::string_view entry : text::split(found->second, ':')) {
    const bool relative = !entry.empty() && !entry.starts_with('/');
    entries.push_back((relative ? launch.cwd + "/" : "") + std::string(entry));
  }
  found->second = text::join(entries, ":");
}

std::optional<packages::Isolated> isolated_of(const Launch& launch) {
  return launch.kept_out
             ? packages::isolate({.command = launch.command, .args = launch.args}, launch.cwd)
             : std::nullopt;
}

Result<void> check_clean(const Launch& launch) {
  const std::vector<std::string> files =
      packages::files_in_the_way(launch.cwd, variable(launch, "HOME"), small_file);
  if (files.empty()) {
    return {};
  }
  return fail(Error(ErrorCode::invalid_argument,
                    launch.command + " would read " + text::join(files, ", ") +
                        ", and files of the folder do not count for servers of yours; " +
                        std::string(packages::how_it_counts))
                  .with({.kind = Remedy::Kind::trust_folder, .subject = {}}));
}

// "some_server" of `python -m some_server`; empty for other command lines.
std::string module_of(const Launch& launch) {
  for (std::size_t i = 0; i + 1 < launch.args.size(); ++i) {
    if (launch.args[i].starts_with('-') && launch.args[i].ends_with('m')) {
      return launch.args[i + 1];
    }
  }
  return "";
}

}  // namespace

Result<Launch> placed(Launch launch) {
  std::optional<packages::Isolated> isolated = isolated_of(launch);
  if (!isolated) {
    return launch;
  }
  if (isolated->needs_clean_folder) {
    const Result<void> clean = check_clean(launch);
    if (!clean) {
      return fail(clean.error());
    }
  }
  if (isolated->helper != packages::Helper::none) {
    const Result<void> added = add_helper(launch, isolated->helper);
    if (!added) {
      return fail(added.error());
    }
  }
  if (isolated->launcher == packages::Launcher::python) {
    make_python_path_absolute(launch);
  }
  for (const auto& [name, value] : isolated->variables) {
    set_options(launch, name, value);
  }
  launch.command = std::move(isolated->line.command);
  launch.args = std::move(isolated->line.args);
  launch.cwd = std::move(isolated->folder);
  return launch;
}

transport::FindAdvice start_advice(const Launch& launch) {
  const std::optional<packages::Isolated> isolated = isolated_of(launch);
  if (!isolated) {
    return {};
  }
  return [launcher = isolated->launcher, folder = launch.cwd, module = module_of(launch)](
             std::string_view said) -> transport::StartAdvice {
    std::optional<std::string> advice = packages::unread_file_advice(
        {.launcher = launcher, .folder = folder, .said = said, .module = module}, small_file);
    if (!advice) {
      return {};
    }
    return {.text = *std::move(advice),
            .remedy = Remedy{.kind = Remedy::Kind::trust_folder, .subject = {}}};
  };
}

void add_program_variables(Launch& launch) {
  set_options(launch, "BUN_OPTIONS", packages::bun_options);
}

}  // namespace pi_mcp::servers
