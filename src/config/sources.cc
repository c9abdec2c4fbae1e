#include "config/sources.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/import/hosts.h"
#include "config/interpolate.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/project/project_folders.h"

namespace pi_mcp::config {
namespace {

// Below the home folder, beside our own file.
struct SharedFile {
  std::string_view path;
  std::string_view role;
};
constexpr std::array<SharedFile, 3> shared_files = {{
    {.path = ".config/mcp/mcp.json", .role = "shared user file"},
    {.path = ".agents/mcp.json", .role = "shared agents file"},
    {.path = ".agents/mcp/mcp.json", .role = "shared agents file"},
}};

std::string own_file(const Environment& environment) {
  return join_path(environment, agent_dir(environment), "mcp.json");
}

}  // namespace

bool leads_to_users(const Environment& environment,
                    const FileSource& files,
                    const std::string& path,
                    std::vector<Warning>& warnings) {
  const std::string target = files.canonical(path);
  if (target == path) {
    return false;
  }
  std::vector<std::string> users = {own_file(environment)};
  for (const SharedFile& shared : shared_files) {
    users.push_back(join_path(environment, environment.home, shared.path));
  }
  for (const Host& host : hosts()) {
    for (HostFile& file : host.user_files(environment, files)) {
      users.push_back(std::move(file.path));
    }
  }
  const bool is_users = std::ranges::any_of(
      users, [&](const std::string& own) { return files.canonical(own) == target; });
  if (is_users) {
    (void)files.read_regular(path);  // so that it is watched: another file may take its place
    warn(warnings,
         path,
         "it is a link to a file of yours, " + target + ", and is not read as the project's");
  }
  return is_users;
}

bool SourceReader::is_exclusive() const {
  const std::string mode = environment_.variable("PI_MCP_CONFIG_MODE").value_or("");
  return text::lower(text::trim(mode)) == "exclusive";
}

std::vector<Source> SourceReader::read_user(const std::optional<std::string>& config_file) {
  std::vector<Source> sources;
  if (!is_exclusive()) {
    for (const SharedFile& shared : shared_files) {
      read_users({.path = join_path(environment_, environment_.home, shared.path),
                  .role = std::string(shared.role)},
                 sources);
    }
  }
  if (!config_file) {
    read_users({.path = own_file(environment_), .role = "user file"}, sources);
    return sources;
  }
  const std::string path = absolute_path(environment_, environment_.cwd, *config_file);
  const std::size_t before = warnings_.size();
  if (!read_users({.path = path, .role = "--config file"}, sources) && warnings_.size() == before) {
    warn(warnings_,
         path,
         "the file given with --config does not exist; create it or correct the path");
  }
  // What the user asked for by name is said first.
  std::rotate(
      warnings_.begin(), warnings_.begin() + static_cast<std::ptrdiff_t>(before), warnings_.end());
  return sources;
}

std::vector<Source> SourceReader::read_given(const std::string& text) {
  Source source{.file = {.path = std::string(given_path), .role = "given by the host"},
                .layer = {},
                .warnings = {}};
  source.layer = layer_of(source.file, std::optional(text), warnings_);
  const std::string& claude = source.layer.claude_plugins;
  const bool names_others = !source.layer.imports.empty() || (!claude.empty() && claude != "[]") ||
                            source.layer.settings.find("agentPluginPaths").size() > 0;
  if (names_others) {
    warn(warnings_,
         source.file.path,
         "\"imports\", \"claudePlugins\" and \"agentPluginPaths\" are not followed: a "
         "configuration that a program gives is all there is");
  }
  source.layer.imports.clear();
  source.layer.claude_plugins.clear();
  std::vector<Source> sources;
  sources.push_back(std::move(source));
  return sources;
}

std::vector<Source> SourceReader::read_project(const std::vector<std::string>& project,
                                               const std::vector<std::string>& ancestor_roots,
                                               const std::string& roots_path) {
  std::vector<Source> sources;
  if (is_exclusive()) {
    return sources;
  }
  const std::vector<std::string> named = ancestors(ancestor_roots, roots_path);
  const std::vector<std::string> parents =
      with_parents(environment_, files_.canonical(environment_.cwd));
  for (const std::string& folder : parents | std::views::reverse) {
    const bool is_projects = std::ranges::find(project, folder) != project.end();
    const bool is_named = std::ranges::find(named, folder) != named.end();
    for (const std::string_view name : {".mcp.json", ".pi/mcp.json"}) {
      const std::string path = join_path(environment_, folder, name);
      if (is_named || (is_projects && counts_above(files_, folder, path, warnings_))) {
        read_above(folder, path, sources);
      }
    }
  }
  const std::string& cwd = environment_.cwd;
  read_projects({.path = join_path(environment_, cwd, ".mcp.json"),
                 .role = "shared project file",
                 .project = true},
                sources);
  read_projects({.path = join_path(environment_, cwd, ".pi/mcp.json"),
                 .role = "project file",
                 .project = true},
                sources);
  return sources;
}

bool SourceReader::read_users(SourceFile file, std::vector<Source>& out) {
  if (!seen_.insert(files_.canonical(file.path)).second) {
    return true;
  }
  const Result<std::optional<std::string>> text = files_.read(file.path);
  Layer layer = layer_of(file, text, warnings_);
  out.push_back({.file = std::move(file), .layer = std::move(layer), .warnings = {}});
  return !text || text->has_value();
}

void SourceReader::read_above(const std::string& folder,
                              const std::string& path,
                              std::vector<Source>& out) {
  const std::size_t before = out.size();
  read_projects({.path = path, .role = "ancestor file", .project = true}, out);
  for (std::size_t i = before; i < out.size(); ++i) {
    for (RawServer& server : out[i].layer.servers) {
      anchor_paths(server.fields, environment_, folder);
    }
  }
}

void SourceReader::read_projects(SourceFile file, std::vector<Source>& out) {
  if (!seen_.insert(files_.canonical(file.path)).second ||
      leads_to_users(environment_, files_, file.path, warnings_)) {
    return;
  }
  std::vector<Warning> warnings;
  Layer layer = layer_of(file, files_.read_regular(file.path), warnings);
  out.push_back(
      {.file = std::move(file), .layer = std::move(layer), .warnings = std::move(warnings)});
}

Layer SourceReader::layer_of(const SourceFile& file,
                             const Result<std::optional<std::string>>& text,
                             std::vector<Warning>& entry_warnings) {
  if (!text) {
    warn_unreadable(warnings_, file.path, text.error().message());
    return {};
  }
  const std::optional<json::Document> document =
      *text ? parse_json_file(**text, file.path, warnings_) : std::nullopt;
  return document ? read_layer(document->root(),
                               {.path = file.path, .import_kind = {}, .project = file.project},
                               entry_warnings)
                  : Layer();
}

// Directories above the working directory, farthest first, from the deepest root that qualifies.
std::vector<std::string> SourceReader::ancestors(const std::vector<std::string>& roots,
                                                 const std::string& roots_path) {
  const std::string inner = files_.canonical(environment_.cwd);
  std::string deepest;
  for (const std::string& written : roots) {
    const std::string root = ancestor_root(written, roots_path);
    if (root.size() > deepest.size() && is_inside(environment_, inner, root)) {
      deepest = root;
    }
  }
  std::vector<std::string> folders;
  for (const std::string& folder : with_parents(environment_, inner)) {
    if (!deepest.empty() && folder != inner && is_inside(environment_, folder, deepest)) {
      folders.insert(folders.begin(), folder);
    }
  }
  return folders;
}

// Empty, with a warning, for a root that is not allowed.
std::string SourceReader::ancestor_root(const std::string& written, const std::string& roots_path) {
  const std::string expanded = expand_home(written, environment_);
  std::string root = files_.canonical(expanded);
  const std::string home_directory = files_.canonical(environment_.home);
  std::string reason;
  if (!is_absolute(environment_, expanded)) {
    reason = "must be absolute or start with ~/";
  } else if (!files_.is_directory(root)) {
    reason = "is not a directory";
  } else if (root == home_directory || !is_inside(environment_, root, home_directory)) {
    reason = "must be a directory below the home directory";
  }
  if (reason.empty()) {
    return root;
  }
  warn(warnings_,
       roots_path,
       "settings: the root \"" + written + "\" in \"ancestorConfigRoots\" " + reason +
           "; it is ignored");
  return {};
}

}  // namespace pi_mcp::config
