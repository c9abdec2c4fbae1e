// Claude Code and Claude Desktop.
#include <ranges>

#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/trust/host_answers.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// https://code.claude.com/docs/en/mcp: `timeout` is the limit of one tool call in milliseconds.
void add_claude_servers(ImportReader& reader, json::Value map, const std::string& path) {
  for (RawServer& server : reader.servers_of(map, "mcpServers", path)) {
    rename_key(server.fields, "timeout", "requestTimeoutMs");
    translate_oauth(
        server.fields, "oauth", {.id = "clientId", .secret = "clientSecret", .scope = "scopes"});
    reader.add(std::move(server));
  }
}

// Servers the user has switched off for this project in Claude Code.
std::vector<std::string> disabled_names(json::Value project) {
  std::vector<std::string> names;
  for (const json::Value element : project.find("disabledMcpServers").elements()) {
    names.push_back(element.string_or(""));
  }
  return names;
}

}  // namespace

// The first two are files of others' making that the reference adapter reads.
std::vector<HostFile> claude_code_files(const Environment& environment,
                                        const FileSource& /*files*/) {
  const std::string folder = join_path(environment, environment.home, ".claude");
  return {{.path = join_path(environment, folder, "claude_desktop_config.json")},
          {.path = join_path(environment, folder, "mcp.json")},
          {.path = claude_state_file(environment), .ours = true, .seen_by = folder}};
}

void import_claude_code(ImportReader& reader) {
  std::vector<std::string> paths = reader.paths(claude_code_files);
  const std::string path = std::move(paths.back());
  paths.pop_back();
  for (const std::string& other : paths) {
    if (const std::optional<json::Document> document = reader.read_json(other)) {
      add_claude_servers(reader, document->root().find("mcpServers"), other);
    }
  }
  const std::optional<json::Document> document = reader.read_json(path);
  if (!document) {
    return;
  }
  const json::Value root = document->root();
  add_claude_servers(reader, root.find("mcpServers"), path);
  const std::vector<json::Value> projects =
      projects_of(root, reader.folders_of(path), reader.files());
  for (const json::Value project : projects | std::views::reverse) {
    add_claude_servers(reader, project.find("mcpServers"), path);
    reader.disable(disabled_names(project));
  }
}

std::vector<HostFile> claude_desktop_files(const Environment& environment,
                                           const FileSource& /*files*/) {
  const std::string file = "Claude/claude_desktop_config.json";
  std::vector<std::string> folders = {application_data(environment)};
  if (environment.platform == Platform::windows) {
    // Installed from the Microsoft Store, its files are redirected into the package.
    const std::string local =
        environment.variable("LOCALAPPDATA")
            .value_or(join_path(environment, environment.home, "AppData/Local"));
    folders.push_back(
        join_path(environment, local, "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming"));
  }
  std::vector<HostFile> files;
  files.reserve(folders.size());
  for (const std::string& folder : folders) {
    files.push_back({.path = join_path(environment, folder, file),
                     .ours = true,
                     .seen_by = join_path(environment, folder, "Claude")});
  }
  return files;
}

void import_claude_desktop(ImportReader& reader) {
  for (const std::string& path : reader.paths(claude_desktop_files)) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (document) {
      add_claude_servers(reader, document->root().find("mcpServers"), path);
    }
  }
}

}  // namespace pi_mcp::config
