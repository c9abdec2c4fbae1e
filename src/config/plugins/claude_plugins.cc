// Plugins of Claude Code, https://code.claude.com/docs/en/plugins-reference: .mcp.json in the
// plugin's folder, `mcpServers` of .claude-plugin/plugin.json (an object, or paths of such files),
// ${CLAUDE_PLUGIN_ROOT} and ${CLAUDE_PLUGIN_DATA}.
#include <utility>

#include "base/text.h"
#include "config/import/reader.h"
#include "config/load.h"
#include "config/paths.h"
#include "config/plugins/plugin_reader.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

void add_servers(PluginReader& reader,
                 const Plugin& plugin,
                 json::Value map,
                 const std::string& path) {
  const Environment& environment = reader.environment();
  const std::string data =
      join_path(environment,
                agent_dir(environment),
                "claude-plugin-data/" + plain_name(base_name(plugin.root), "plugin"));
  const auto expanded = [&](const std::string& text) {
    return text::replace_all(text::replace_all(text, "${CLAUDE_PLUGIN_ROOT}", plugin.root),
                             "${CLAUDE_PLUGIN_DATA}",
                             data);
  };
  for (RawServer& server : reader.servers_of(plugin, map, path, "")) {
    RawObject fields;
    for (const RawField& field : server.fields.fields()) {
      fields.set(field.key, rewrite_strings(field.value(), expanded));
    }
    server.fields = std::move(fields);
    rename_key(server.fields, "timeout", "requestTimeoutMs");
    if (server.fields.find("command").is_string()) {
      json::Writer env;
      env.begin_object();
      for (const json::Member member : server.fields.find("env").members()) {
        env.member_raw(member.name(), member.value.raw());
      }
      env.member("CLAUDE_PLUGIN_ROOT", plugin.root).member("CLAUDE_PLUGIN_DATA", data);
      server.fields.set("env", env.end_object().take());
      server.fields.set("pluginDataDir", json::quoted(data));
    }
    reader.add(std::move(server));
  }
}

void read_file(PluginReader& reader, const Plugin& plugin, const std::string& path) {
  const std::optional<json::Document> document = reader.read_json(plugin, path);
  if (document) {
    // With and without the wrapping member: Claude Code takes both in a plugin.
    const json::Value map = document->root().find("mcpServers");
    add_servers(reader, plugin, map ? map : document->root(), path);
  }
}

void read_plugin(PluginReader& reader, const Plugin& plugin) {
  const Environment& environment = reader.environment();
  const std::string own = join_path(environment, plugin.root, ".mcp.json");
  if (reader.is_new(plugin, own)) {
    read_file(reader, plugin, own);
  }
  const std::string path = join_path(environment, plugin.root, ".claude-plugin/plugin.json");
  const std::optional<json::Document> manifest = reader.read_json(plugin, path);
  const json::Value named = manifest ? manifest->root().find("mcpServers") : json::Value();
  if (named.is_object()) {
    add_servers(reader, plugin, named, path);
  }
  std::vector<json::Value> files = reader.elements(named, "mcpServers", plugin.named_in);
  if (named.is_string()) {
    files.push_back(named);
  }
  for (const json::Value file : files) {
    const std::string named_file = absolute_path(environment, plugin.root, file.string_or(""));
    if (reader.is_new(plugin, named_file)) {
      read_file(reader, plugin, named_file);
    }
  }
}

}  // namespace

void read_claude_plugins(PluginReader& reader, json::Value plugins, const Origin& named_in) {
  for (const json::Value entry : reader.elements(plugins, "claudePlugins", named_in)) {
    const std::string path = entry.find("path").string_or("");
    if (text::trim(path).empty()) {
      reader.warn(named_in.path,
                  "an element of \"claudePlugins\" needs a \"path\"; it is left out");
      continue;
    }
    if (entry.find("skills").bool_or(false)) {
      reader.warn(named_in.path,
                  "\"skills\" of the plugin " + path +
                      " do not count, because they are Pi's: add the plugin's folder of skills to "
                      "\"skills\" in Pi's settings.json");
    }
    const std::optional<Plugin> plugin = entry.find("mcp").bool_or(false)
                                             ? reader.open(claude_plugin_kind, path, named_in)
                                             : std::nullopt;
    if (plugin) {
      read_plugin(reader, *plugin);
    }
  }
}

}  // namespace pi_mcp::config
