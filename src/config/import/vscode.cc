// Visual Studio Code: `servers` and `inputs` of mcp.json, in the user profile and the workspace.
// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
#include <array>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
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
      reader_.warn(path_, text);
    }
  }

  ImportReader& reader_;
  json::Value definitions_;
  const std::string& path_;
  std::set<std::string> warned_;
};

// VS Code's own key, or the ones that files written for the reference adapter have.
constexpr std::array servers_keys = {"servers", "mcpServers", "mcp-servers"};

std::string_view key_of_servers(json::Value root) {
  for (const std::string_view key : servers_keys) {
    if (root.find(key)) {
      return key;
    }
  }
  return "servers";
}

}  // namespace

std::vector<HostFile> vscode_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string data = application_data(environment);
  std::vector<std::vector<std::string>> members;
  for (const std::string_view key : servers_keys) {
    members.push_back({std::string(key)});
  }
  std::vector<HostFile> files;
  for (const std::string_view variant : {"Code - Insiders/User", "Code/User"}) {
    const std::string folder = join_path(environment, data, variant);
    files.push_back({.path = join_path(environment, folder, "mcp.json"),
                     .members = members,
                     .ours = true,
                     .seen_by = folder});
  }
  return files;
}

void import_vscode(ImportReader& reader) {
  for (const std::string& path : reader.paths(vscode_files, {".vscode/mcp.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const json::Value root = document->root();
    const std::string_view key = key_of_servers(root);
    Inputs inputs(reader, root.find("inputs"), path);
    for (RawServer& server : reader.servers_of(root.find(key), key, path, root.find("inputs"))) {
      const std::string name = server.name;
      reader.apply_env_file(server);
      reader.add(std::move(server),
                 [&inputs, &name](std::string_view token) { return inputs.lookup(token, name); });
    }
  }
}

}  // namespace pi_mcp::config
