// Visual Studio Code, its Insiders and VSCodium: `servers` and `inputs` of mcp.json, in the user's
// profiles and the workspace.
// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration and, for keys that are not
// there, mcpPlatformTypes.ts of github.com/microsoft/vscode.
#include <algorithm>
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// "api-key" can be asked for as the environment variable API_KEY.
std::string variable_name(std::string_view id) {
  std::string name;
  for (const char c : id) {
    name += ascii::is_alphanumeric(c) ? c : '_';
  }
  return name.empty() || ascii::is_digit(name[0]) ? "_" + name : name;
}

// The variables of one file: what to put for ${input:ID}, and which inputs a server still lacks.
class Inputs {
 public:
  Inputs(ImportReader& reader, json::Value definitions, const std::string& path)
      : reader_(reader), definitions_(definitions), path_(path) {}

  std::optional<std::string> lookup(std::string_view token, const std::string& server) {
    constexpr std::string_view input = "${input:";
    if (token.starts_with("${config:") || token.starts_with("${command:") ||
        token.starts_with("${workspaceFolder:")) {
      warn_once(server, std::string(token) + " has no meaning outside VS Code; write the value");
      return std::nullopt;
    }
    if (!token.starts_with(input)) {
      return std::nullopt;
    }
    return value_of(token.substr(input.size(), token.size() - input.size() - 1), server);
  }

 private:
  std::string value_of(std::string_view id, const std::string& server) {
    const std::string name = variable_name(id);
    const json::Value definition = find(id);
    for (const std::string& candidate : {name, ascii::upper(name)}) {
      if (reader_.environment().variable(candidate)) {
        return "${" + candidate + "}";
      }
    }
    const json::Value fallback = definition.find("default");
    if (fallback.is_string() && fallback.string_or("").find('}') == std::string::npos) {
      return "${" + ascii::upper(name) + ":-" + fallback.string_or("") + "}";
    }
    const std::string description = definition.find("description").string_or("");
    warn_once(server,
              "needs the input \"" + std::string(id) + "\"" +
                  (description.empty() ? "" : " (" + description + ")") +
                  "; set the environment variable " + ascii::upper(name));
    return "${" + ascii::upper(name) + "}";
  }

  [[nodiscard]] json::Value find(std::string_view id) const {
    for (const json::Value element : definitions_.elements()) {
      if (element.find("id").equals(id)) {
        return element;
      }
    }
    return {};
  }

  void warn_once(const std::string& server, const std::string& message) {
    const std::string text = "server \"" + server + "\" " + message;
    if (warned_.insert(text).second) {
      reader_.warn(path_, text, server);
    }
  }

  ImportReader& reader_;
  json::Value definitions_;
  const std::string& path_;
  std::set<std::string> warned_;
};

// VS Code's own key of mcp.json, or the ones that files written for the reference adapter have.
const std::vector<std::vector<std::string>> file_members = {
    {"servers"}, {"mcpServers"}, {"mcp-servers"}};
// Where settings.json has what versions before 1.102 kept there.
const std::vector<std::vector<std::string>> settings_members = {{"mcp", "servers"},
                                                                {"mcp.servers"}};
constexpr std::string_view settings_name = "settings.json";

struct Servers {
  json::Value map;
  std::string_view key;
  json::Value inputs;
};

Servers servers_in(json::Value root, const std::string& path) {
  if (base_name(path) == settings_name) {
    constexpr std::string_view key = "mcp.servers";
    const json::Value mcp = root.find("mcp");
    if (mcp.find("servers")) {
      return {.map = mcp.find("servers"), .key = key, .inputs = mcp.find("inputs")};
    }
    return {.map = root.find(key), .key = key, .inputs = root.find("mcp.inputs")};
  }
  for (const std::vector<std::string>& member : file_members) {
    if (root.find(member[0])) {
      return {.map = root.find(member[0]), .key = member[0], .inputs = root.find("inputs")};
    }
  }
  return {};
}

constexpr std::array vscode_keys = {
    HostKey{.from = "transport", .becomes = Becomes::key, .to = "type"},
    HostKey{.from = "gallery", .becomes = Becomes::nothing},
    HostKey{.from = "version", .becomes = Becomes::nothing},
    HostKey{.from = "sandboxEnabled",
            .becomes = Becomes::warning,
            .to = "pi-mcp starts servers with all your rights"},
    HostKey{.from = "sandbox", .becomes = Becomes::nothing},
    HostKey{.from = "dev",
            .becomes = Becomes::warning,
            .to = "reconnect the server when its files have changed"},
};

// unix:///path/of.sock#/mcp, pipe:///name
bool is_behind_socket(const RawServer& server) {
  const std::string url = server.fields.find("url").string_or("");
  return url.starts_with("unix:") || url.starts_with("pipe:");
}

}  // namespace

// Each profile has a file of its own; those of the default profile count most.
std::vector<HostFile> vscode_files(const Environment& environment, const FileSource& files) {
  std::vector<HostFile> found;
  for (const std::string_view variant : {"VSCodium/User", "Code - Insiders/User", "Code/User"}) {
    const std::string folder = join_path(environment, application_data(environment), variant);
    found.push_back(
        {.path = join_path(environment, folder, settings_name), .members = settings_members});
    const std::string profiles = join_path(environment, folder, "profiles");
    std::vector<std::string> names = files.names_in(profiles);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      const std::string path = join_path(environment, profiles, name + "/mcp.json");
      if (files.is_file(path)) {
        found.push_back({.path = path, .members = file_members, .ours = true});
      }
    }
    found.push_back({.path = join_path(environment, folder, "mcp.json"),
                     .members = file_members,
                     .ours = true,
                     .seen_by = folder});
  }
  return found;
}

void import_vscode(ImportReader& reader) {
  for (const std::string& path : reader.paths(vscode_files, {".vscode/mcp.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const Servers servers = servers_in(document->root(), path);
    Inputs inputs(reader, servers.inputs, path);
    for (RawServer& server : reader.servers_of(servers.map, servers.key, path, servers.inputs)) {
      if (is_behind_socket(server)) {
        reader.leave_out(server,
                         "speaks HTTP at a Unix socket or a named pipe, not at a port as pi-mcp "
                         "needs it");
        continue;
      }
      const std::string name = server.name;
      translate_keys(reader, server, vscode_keys);
      reader.apply_env_file(server);
      reader.add(std::move(server),
                 [&inputs, &name](std::string_view token) { return inputs.lookup(token, name); });
    }
  }
}

}  // namespace pi_mcp::config
