// Agent Plugins 1.0, https://agent-plugins.org: plugin.json and mcp.json, both strict. An entry
// that is not as the specification has it is left out.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/text.h"
#include "config/import/reader.h"
#include "config/load.h"
#include "config/paths.h"
#include "config/plugins/plugin_reader.h"
#include "http/url.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view plugin_schema =
    "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
constexpr std::string_view mcp_schema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
constexpr std::size_t name_length_max = 64;

constexpr std::array<std::string_view, 5> stdio_members = {"type", "command", "args", "env", "cwd"};
constexpr std::array<std::string_view, 3> http_members = {"type", "url", "headers"};

// Lower-case letters, digits, "." and "-", neither at an end nor twice in a row.
bool is_plugin_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= name_length_max && is_plain(name.front()) &&
         is_plain(name.back()) && name.find("--") == std::string_view::npos &&
         name.find("..") == std::string_view::npos &&
         std::ranges::all_of(name, [&](char c) { return is_plain(c) || c == '.' || c == '-'; });
}

// What the two variables stand for.
struct PluginFolders {
  std::string root;
  std::string data;

  [[nodiscard]] std::string expanded(std::string_view text) const {
    return text::replace_all(
        text::replace_all(text, "${PLUGIN_ROOT}", root), "${PLUGIN_DATA}", data);
  }
};

std::string unknown_member(const RawObject& fields, std::span<const std::string_view> members) {
  for (const RawField& field : fields.fields()) {
    if (std::ranges::find(members, field.key) == members.end()) {
      return "has the unknown member \"" + field.key + "\"";
    }
  }
  return {};
}

// Empty for a path that leads out of the plugin.
std::string inside(const PluginReader& reader, const PluginFolders& folders, std::string path) {
  const std::string real = reader.files().canonical(path);
  const bool climbs = ("/" + path + "/").find("/../") != std::string::npos;
  const bool contained = is_inside(reader.environment(), real, folders.root) ||
                         is_inside(reader.environment(), path, folders.data);
  return contained && !climbs ? std::move(path) : std::string();
}

// The functions below give what is wrong with the entry; empty: nothing.

std::string translate_folder(const PluginReader& reader,
                             const PluginFolders& folders,
                             RawObject& fields) {
  const std::string written = fields.find("cwd").string_or("${PLUGIN_ROOT}");
  const bool rooted = written.starts_with("./") || written.starts_with("${PLUGIN_ROOT}") ||
                      written.starts_with("${PLUGIN_DATA}");
  const std::string path =
      absolute_path(reader.environment(), folders.root, folders.expanded(written));
  const std::string folder = rooted ? inside(reader, folders, path) : "";
  fields.set("cwd", json::quoted(folder));
  return folder.empty() ? "has a \"cwd\" outside the plugin" : "";
}

std::string translate_variables(const PluginFolders& folders, RawObject& fields) {
  json::Writer env;
  env.begin_object();
  for (const json::Member member : fields.find("env").members()) {
    const std::string name = member.name();
    if (!member.value.is_string() || name == "PLUGIN_ROOT" || name == "PLUGIN_DATA") {
      return "must not set \"" + name + "\" in \"env\" like that";
    }
    env.member(name, folders.expanded(member.value.string_or("")));
  }
  env.member("PLUGIN_ROOT", folders.root).member("PLUGIN_DATA", folders.data);
  fields.set("env", env.end_object().take());
  fields.set("literalEnv", "true");
  fields.set("pluginDataDir", json::quoted(folders.data));
  return {};
}

std::string translate_program(const PluginReader& reader,
                              const PluginFolders& folders,
                              RawObject& fields) {
  std::string reason = unknown_member(fields, stdio_members);
  std::string command = fields.find("command").string_or("");
  const bool is_path = command.find_first_of("/\\$") != std::string::npos;
  if (command.starts_with("./")) {
    command = inside(reader, folders, absolute_path(reader.environment(), folders.root, command));
  } else if (is_path) {
    command.clear();
  }
  if (reason.empty() && command.empty()) {
    reason = "needs a \"command\" that is a program's name, or a file of the plugin with ./";
  }
  if (!reason.empty()) {
    return reason;
  }
  fields.set("command", json::quoted(command));
  if (const json::Value args = fields.find("args")) {
    fields.set("args", rewrite_strings(args, [&](const std::string& text) {
                 return folders.expanded(text);
               }));
  }
  reason = translate_folder(reader, folders, fields);
  return reason.empty() ? translate_variables(folders, fields) : reason;
}

std::string translate_address(std::string_view type, RawObject& fields) {
  const std::string written = fields.find("url").string_or("");
  const Result<http::Url> url = http::parse_url(written);
  const bool plain = written.find_first_of("${}#") == std::string::npos;
  if (!url || !plain || !url->user_info.empty() ||
      (!url->is_secure() && !http::is_loopback_host(url->host))) {
    return "needs a \"url\" with https, without variables, fragment or user";
  }
  std::string reason = unknown_member(fields, http_members);
  fields.set("httpTransport", json::quoted(type));
  return reason;
}

std::string translate(const PluginReader& reader, const PluginFolders& folders, RawObject& fields) {
  const std::string type = fields.find("type").string_or("");
  if (type == "stdio") {
    return translate_program(reader, folders, fields);
  }
  return type == "streamable-http" || type == "sse"
             ? translate_address(type, fields)
             : "needs a \"type\": stdio, streamable-http or sse";
}

void read_plugin(PluginReader& reader, const Plugin& plugin) {
  const Environment& environment = reader.environment();
  const std::string manifest_path = join_path(environment, plugin.root, "plugin.json");
  const std::optional<json::Document> manifest = reader.read_json(plugin, manifest_path);
  const std::string name = manifest && manifest->root().find("$schema").equals(plugin_schema)
                               ? manifest->root().find("name").string_or("")
                               : "";
  if (!is_plugin_name(name)) {
    reader.warn(plugin.named_in.path,
                manifest_path +
                    " is not one of an Agent plugin 1.0, with its \"$schema\" and a "
                    "\"name\"; its servers do not count");
    return;
  }
  const std::string path = join_path(environment, plugin.root, "mcp.json");
  const std::optional<json::Document> document = reader.read_json(plugin, path);
  if (!document) {
    return;
  }
  if (!document->root().find("$schema").equals(mcp_schema)) {
    reader.warn(
        path, "the \"$schema\" must be " + std::string(mcp_schema) + "; its servers do not count");
    return;
  }
  const PluginFolders folders{
      .root = plugin.root,
      .data = join_path(environment, agent_dir(environment), "agent-plugin-data/" + name)};
  const json::Value servers = document->root().find("mcpServers");
  for (RawServer& server : reader.servers_of(plugin, servers, path, plain_name(name, "plugin"))) {
    const std::string reason = translate(reader, folders, server.fields);
    if (reason.empty()) {
      server.fields.take("type");
      reader.add(std::move(server));
    } else {
      reader.warn(
          path, "server \"" + server.name + "\" " + reason + "; it is left out", server.name);
    }
  }
}

}  // namespace

void read_agent_plugins(PluginReader& reader, json::Value paths, const Origin& named_in) {
  for (const json::Value path : reader.elements(paths, "agentPluginPaths", named_in)) {
    const std::optional<Plugin> plugin =
        reader.open(agent_plugin_kind, path.string_or(""), named_in);
    if (plugin) {
      read_plugin(reader, *plugin);
    }
  }
}

}  // namespace pi_mcp::config
