#include "packages/npm_cache.h"

#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/environment.h"
#include "config/interpolate.h"
#include "io/files/file.h"
#include "json/document.h"

namespace pi_mcp::packages {
namespace {

// package.json files are a few KB; npm itself refuses none, we refuse what cannot be one.
constexpr std::size_t manifest_bytes_max = std::size_t{4} << 20U;
constexpr std::size_t npmrc_bytes_max = std::size_t{1} << 20U;
constexpr const char* lock_name = ".package-lock.json";
// Enough for "#!/usr/bin/env -S node --flags".
constexpr std::size_t script_head_bytes = 256;

std::optional<std::string> read_if_there(const std::string& path, std::size_t bytes_max) {
  Result<std::optional<std::string>> text = io::read_file(path, bytes_max);
  return text ? *std::move(text) : std::nullopt;
}

std::optional<std::string> variable(const NpmPlace& place, std::string_view name) {
  const auto found = place.variables.find(std::string(name));
  if (found == place.variables.end() || found->second.empty()) {
    return std::nullopt;
  }
  return found->second;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// `cache = …` of an .npmrc: ini lines, ${VARIABLE} allowed (npm docs, "npmrc").
std::optional<std::string> cache_of_npmrc(const std::string& path,
                                          const config::Environment& environment) {
  const std::string text = read_if_there(path, npmrc_bytes_max).value_or("");
  std::optional<std::string> cache;
  for (const std::string_view line : text::split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && text::trim(line.substr(0, equals)) == "cache") {
      const std::string_view value = unquoted(text::trim(line.substr(equals + 1)));
      cache = config::expand_home(config::interpolate(value, environment).text, environment);
    }
  }
  return cache && cache->starts_with('/') ? cache : std::nullopt;
}

// The folder and its parents, nearest first.
std::vector<std::string> upward(std::string folder) {
  std::vector<std::string> folders;
  for (;;) {
    folders.push_back(folder);
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || folder == "/") {
      return folders;
    }
    folder.resize(std::max<std::size_t>(slash, 1));
  }
}

std::string program_beside_node(const NpmPlace& place, const std::string& name) {
  const std::string search_path = variable(place, "PATH").value_or("");
  for (const std::string_view folder : text::split(search_path, ':')) {
    const std::string prefix = std::string(folder) + "/";
    if (io::is_file(prefix + "node") && io::is_file(prefix + name)) {
      return prefix + name;
    }
  }
  return "";
}

// npm writes this file when everything is in its place. Without it (an npm that was killed, or told
// not to write it) at least what the package names itself must be there.
bool is_complete(const std::string& modules, const std::string& package, json::Value manifest) {
  if (io::is_file(modules + lock_name)) {
    return true;
  }
  const json::Value dependencies = manifest.find("dependencies");
  const std::string own_modules = package + "/node_modules/";
  for (const json::Member dependency : dependencies.members()) {
    const std::string file = dependency.name() + "/package.json";
    if (!io::is_file(modules + file) && !io::is_file(own_modules + file)) {
      return false;
    }
  }
  return true;
}

EpochMs installed_at(const std::string& modules, const std::string& package) {
  const std::optional<EpochMs> locked = io::modified_at(modules + lock_name);
  return locked ? *locked : io::modified_at(package + "/package.json").value_or(EpochMs{});
}

}  // namespace

std::optional<std::string> npm_cache_dir(const NpmPlace& place) {
  for (const std::string_view name : {"NPM_CONFIG_CACHE", "npm_config_cache"}) {
    if (std::optional<std::string> cache = variable(place, name)) {
      return cache->starts_with('/') ? std::move(cache) : std::nullopt;
    }
  }
  const std::optional<std::string> home = variable(place, "HOME");
  if (!home) {
    return std::nullopt;
  }
  config::Environment environment;
  environment.variables = place.variables;
  environment.home = *home;
  const std::string user_npmrc =
      variable(place, "NPM_CONFIG_USERCONFIG").value_or(*home + "/.npmrc");
  for (const std::string& npmrc : {place.cwd + "/.npmrc", user_npmrc}) {
    if (std::optional<std::string> cache = cache_of_npmrc(npmrc, environment)) {
      return cache;
    }
  }
  return *home + "/.npm";
}

bool npx_prefers_local(const NpmPlace& place, const NpxCommand& command) {
  // Only a bare positional may name a program instead of a package.
  const bool may_be_program = command.bin.empty();
  for (const std::string& folder : upward(place.cwd)) {
    const std::string modules = folder + "/node_modules/";
    if (io::is_file(modules + command.package.name + "/package.json") ||
        (may_be_program && io::is_file(modules + ".bin/" + command.package.text))) {
      return true;
    }
  }
  return !global_program(place, command).empty();
}

std::string global_program(const NpmPlace& place, const NpxCommand& command) {
  return command.bin.empty() ? program_beside_node(place, command.package.text) : "";
}

std::optional<InstalledProgram> find_installed(const std::string& cache_dir,
                                               const NpxCommand& command) {
  const std::string modules =
      cache_dir + "/_npx/" + npx_folder_name(command.package) + "/node_modules/";
  const std::string package = modules + command.package.name;
  const std::optional<std::string> text =
      read_if_there(package + "/package.json", manifest_bytes_max);
  if (!text) {
    return std::nullopt;
  }
  const Result<json::Document> manifest = json::Document::parse_view(*text);
  if (!manifest) {
    return std::nullopt;
  }
  const std::string version = manifest->root().find("version").string_or("");
  if (command.package.is_exact() && command.package.exact_version() != version) {
    return std::nullopt;
  }
  if (!is_complete(modules, package, manifest->root())) {
    return std::nullopt;
  }
  const std::optional<PackageBin> bin = choose_bin(manifest->root(), command.package, command.bin);
  if (!bin) {
    return std::nullopt;
  }
  const std::string path = io::canonical_path(package + "/" + bin->path);
  // A program outside its own package would be somebody's trick, not npm's work.
  if (!io::is_file(path) || !path.starts_with(io::canonical_path(package) + "/")) {
    return std::nullopt;
  }
  const Result<std::string> head = io::read_head(path, script_head_bytes);
  if (!head) {
    return std::nullopt;
  }
  return InstalledProgram{.path = path,
                          .version = version,
                          .node_script = is_node_script(path, *head),
                          .installed_at = installed_at(modules, package)};
}

}  // namespace pi_mcp::packages
