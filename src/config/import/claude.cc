// Claude Code and Claude Desktop.
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

void import_claude_code(ImportReader& reader) {
  for (const std::string& path :
       {reader.home(".claude/claude_desktop_config.json"), reader.home(".claude/mcp.json")}) {
    if (const std::optional<json::Document> document = reader.read_json(path)) {
      add_claude_servers(reader, document->root().find("mcpServers"), path);
    }
  }
  const std::string path = claude_state_file(reader.environment());
  const std::optional<json::Document> document = reader.read_json(path);
  if (!document) {
    return;
  }
  const json::Value root = document->root();
  const json::Value project = project_of(root, reader.environment(), reader.files());
  add_claude_servers(reader, root.find("mcpServers"), path);
  add_claude_servers(reader, project.find("mcpServers"), path);
  reader.disable(disabled_names(project));
}

void import_claude_desktop(ImportReader& reader) {
  const Environment& environment = reader.environment();
  const std::string file = "Claude/claude_desktop_config.json";
  std::vector<std::string> paths = {join_path(environment, application_data(environment), file)};
  if (environment.platform == Platform::windows) {
    // Installed from the Microsoft Store, its files are redirected into the package.
    const std::string local =
        environment.variable("LOCALAPPDATA")
            .value_or(join_path(environment, environment.home, "AppData/Local"));
    paths.push_back(
        join_path(environment, local, "Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/" + file));
  }
  for (const std::string& path : paths) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (document) {
      add_claude_servers(reader, document->root().find("mcpServers"), path);
    }
  }
}

}  // namespace pi_mcp::config
