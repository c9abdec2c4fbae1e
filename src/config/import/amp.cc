// Amp: `amp.mcpServers`, `amp.tools.disable` and `amp.mcpPermissions` of settings.json, the dots
// being part of the names. https://ampcode.com/manual#mcp and #configuration
#include <algorithm>

#include "base/text.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/values.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view servers_key = "amp.mcpServers";

// Names and globs over mcp__SERVER__TOOL.
void exclude_tools(RawServer& server, json::Value disabled) {
  std::vector<std::string> tools = text_list_of(server.fields.find("excludeTools"));
  const std::string prefix = "mcp__" + server.name + "__";
  for (const std::string& name : text_list_of(disabled)) {
    if (name.starts_with(prefix)) {
      tools.push_back(name.substr(prefix.size()));
    } else if (name.find('*') != std::string::npos && text::glob_match(name, prefix)) {
      tools.emplace_back("*");
    }
  }
  if (!tools.empty()) {
    json::Writer out;
    out.begin_array();
    for (const std::string& tool : tools) {
      out.string(tool);
    }
    server.fields.set("excludeTools", out.end_array().take());
  }
}

bool matches(json::Value rule, const RawObject& fields) {
  const auto member_matches = [&](std::string_view key, const std::string& value) {
    const json::Value glob = rule.find(key);
    return !glob || (!value.empty() && text::glob_match(glob.string_or(""), value));
  };
  return member_matches("url", fields.find("url").string_or("")) &&
         member_matches("command", fields.find("command").string_or("")) &&
         member_matches("args", text::join(text_list_of(fields.find("args")), " "));
}

// The first rule that matches decides; without one a server may run.
bool is_rejected(json::Value rules, const RawObject& fields) {
  for (const json::Value rule : rules.elements()) {
    if (matches(rule.find("matches"), fields)) {
      return rule.find("action").equals("reject");
    }
  }
  return false;
}

}  // namespace

std::vector<HostFile> amp_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = join_path(environment, environment.home, ".config/amp");
  return {{.path = join_path(environment, folder, "settings.json"),
           .members = {{std::string(servers_key)}},
           .ours = true,
           .seen_by = folder}};
}

void import_amp(ImportReader& reader) {
  for (const std::string& path : reader.paths(amp_files, {".amp/settings.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const json::Value root = document->root();
    for (RawServer& server : reader.servers_of(root.find(servers_key), servers_key, path)) {
      exclude_tools(server, root.find("amp.tools.disable"));
      if (is_rejected(root.find("amp.mcpPermissions"), server.fields)) {
        server.fields.set("disabled", "true");
      }
      reader.add(std::move(server));
    }
  }
}

}  // namespace pi_mcp::config
