#include "config/plugins/plugin_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "config/check.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/project/plain_names.h"
#include "config/project/project_files.h"
#include "config/trust/digest.h"

namespace pi_mcp::config {
namespace {

// A clone decides how long its lists are.
constexpr std::size_t plugins_max = 100;

}  // namespace

std::string plain_name(std::string_view name, std::string_view otherwise) {
  std::string plain;
  for (const char c : name) {
    const bool kept = ascii::is_alphanumeric(c) || c == '_' || c == '-';
    if (kept || !plain.ends_with('_')) {
      plain += kept ? c : '_';
    }
  }
  const std::size_t first = plain.find_first_not_of("_-");
  return first == std::string::npos ? std::string(otherwise)
                                    : plain.substr(first, plain.find_last_not_of("_-") + 1 - first);
}

std::optional<Plugin> PluginReader::open(std::string_view kind,
                                         const std::string& written,
                                         const Origin& named_in) {
  const bool in_folder = !is_absolute(environment(), written) && !written.starts_with('~');
  const std::string path = absolute_path(environment(), environment().cwd, written);
  Plugin plugin{.kind = kind, .root = files().canonical(path), .named_in = named_in};
  if (in_folder && !plugin.named_in.project) {
    // A file in it, as the one that a project's own list would stand in.
    plugin.named_in = {.path = join_path(environment(), environment().cwd, ".mcp.json"),
                       .import_kind = {},
                       .project = true};
  }
  if (files().is_directory(plugin.root)) {
    return plugin;
  }
  if (!in_folder || named_in.project) {  // the user's "./plugins" is not in every folder
    warn(named_in.path, "there is no folder " + path + " with a plugin; correct the path");
  }
  return std::nullopt;
}

std::vector<json::Value> PluginReader::elements(json::Value list,
                                                std::string_view key,
                                                const Origin& in) {
  std::vector<json::Value> elements;
  for (const json::Value element : list.elements()) {
    if (elements.size() == plugins_max) {
      warn(in.path,
           "\"" + std::string(key) + "\" has more than " + std::to_string(plugins_max) +
               " elements; the rest does not count");
      break;
    }
    elements.push_back(element);
  }
  return elements;
}

std::optional<json::Document> PluginReader::read_json(const Plugin& plugin,
                                                      const std::string& path) {
  const bool is_projects = plugin.named_in.project;
  if (is_projects && !may_look_at(path)) {
    return std::nullopt;
  }
  std::vector<Warning> problems;
  std::optional<json::Document> document;
  if (!plugin.root.empty() && !is_inside(environment(), files().canonical(path), plugin.root)) {
    config::warn(problems,
                 plugin.named_in.path,
                 path + " is not inside the plugin's folder and is not read");
  } else if (Result<std::optional<std::string>> text =
                 is_projects ? files().read_regular(path) : files().read(path);
             !text) {
    warn_unreadable(problems, path, text.error().message());
  } else if (*text) {
    document = parse_json_file(**std::move(text), path, problems);
  }
  const bool can_be_said =
      !is_projects || sources_.folder_trusted || has_plain_names(path, environment().cwd);
  if (can_be_said) {
    std::ranges::move(problems, std::back_inserter(sources_.warnings));
  } else if (!problems.empty()) {
    warn(environment().cwd, "a file of a plugin or package in it cannot be read");
  }
  return document;
}

bool PluginReader::may_look_at(const std::string& path) {
  // Each look at a long path in a deep folder takes milliseconds.
  constexpr std::size_t path_max = 1024;
  constexpr std::size_t files_max = 1000;
  return path.size() <= path_max && ++projects_files_ <= files_max;
}

bool PluginReader::is_new(const Plugin& plugin, const std::string& path) {
  if (!plugin.named_in.project) {
    return seen_.insert(plugin.root + '\n' + files().canonical(path)).second;
  }
  // Packages of a project can lie in one another.
  return may_look_at(path) && seen_.insert('\n' + files().canonical(path)).second;
}

std::vector<RawServer> PluginReader::servers_of(const Plugin& plugin,
                                                json::Value map,
                                                const std::string& path,
                                                const std::string& prefix) {
  const Origin origin{
      .path = path, .import_kind = std::string(plugin.kind), .project = plugin.named_in.project};
  result_.files.push_back(
      {.path = path, .role = std::string(plugin.kind), .project = origin.project});
  // As with a project's files, what is wrong is heard once something in it may be used.
  std::vector<Warning> heard;
  std::vector<RawServer> allowed;
  for (RawServer& server : read_servers(map, "mcpServers", origin, heard)) {
    if (!prefix.empty()) {
      server.name = prefix + "__" + plain_name(server.name, "server");
    }
    if (origin.project) {
      server.digest = entry_digest(server.name, parse_trusted(server.written).root());
    }
    if (origin.project && result_.waiting.size() >= project_servers_max) {
      break;  // no more are listed
    }
    const bool counts = !origin.project || sources_.is_allowed(server, plugin.named_in.path);
    (counts ? allowed : result_.waiting).push_back(std::move(server));
  }
  if (!origin.project || !allowed.empty()) {
    std::ranges::move(heard, std::back_inserter(sources_.warnings));
  }
  return allowed;
}

void PluginReader::add(RawServer server) {
  const auto other = std::ranges::find(result_.servers, server.name, &RawServer::name);
  if (other != result_.servers.end() && other->origin.project == server.origin.project) {
    warn(server.origin.path,
         "server \"" + server.name + "\" does not count, because " + other->origin.path +
             " has one of this name",
         server.name);
    return;
  }
  check_types(server.fields,
              {.scope = KeyScope::server, .path = server.origin.path, .server = server.name},
              sources_.warnings);
  translate_enabled(server.fields);
  result_.servers.push_back(std::move(server));
}

void PluginReader::warn(const std::string& path,
                        std::string_view message,
                        std::string_view server) {
  config::warn(sources_.warnings, path, message, server);
}

}  // namespace pi_mcp::config
