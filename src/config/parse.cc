#include "config/parse.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/import/imports.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/project/project_files.h"
#include "config/trust/digest.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// As the snippet of a README without what goes around it.
void warn_of_servers_outside(json::Value root,
                             const std::string& path,
                             std::vector<Warning>& warnings) {
  for (const json::Member member : root.members()) {
    if (member.value.find("command").is_string() || member.value.find("url").is_string()) {
      warn(warnings,
           path,
           "\"" + member.name() +
               "\" looks like a server, and servers are read from \"mcpServers\" only; write "
               "{\"mcpServers\": {...}} around it");
    }
  }
}

std::vector<RawServer> own_servers(json::Value root,
                                   const Origin& origin,
                                   std::vector<Warning>& warnings) {
  const std::string& path = origin.path;
  const std::string_view key = servers_key(root);
  if (!root.find(key) && root.find("servers").is_object()) {
    warn(warnings,
         path,
         "\"servers\" is VS Code's key and is not read here; rename it to \"mcpServers\", or use "
         "\"imports\": [\"vscode\"]");
  }
  if (!root.find(key)) {
    warn_of_servers_outside(root, path, warnings);
  }
  std::vector<RawServer> servers = read_servers(root.find(key), key, origin, warnings);
  for (RawServer& server : servers) {
    const Place place{.scope = KeyScope::server, .path = path, .server = server.name};
    check_spelling(server.fields, place, warnings);
    check_types(server.fields, place, warnings);
    translate_enabled(server.fields);
    if (base_name(path) == ".mcp.json") {  // Claude Code reads it too
      rename_key(server.fields, "timeout", "requestTimeoutMs");
    }
  }
  return servers;
}

std::vector<std::string> own_imports(json::Value imports,
                                     const std::string& path,
                                     std::vector<Warning>& warnings) {
  std::vector<std::string> kinds;
  const std::vector<std::string> known = import_kinds();
  const std::string choices = text::join(known, ", ");
  if (imports && !imports.is_array()) {
    warn(warnings,
         path,
         "\"imports\" must be an array of strings, found " + found_text(imports) +
             "; nothing is imported (choose from " + choices + ")");
  }
  for (const json::Value element : imports.elements()) {
    const std::string kind = element.string_or("");
    if (std::find(known.begin(), known.end(), kind) != known.end()) {
      kinds.push_back(kind);
      continue;
    }
    warn(warnings,
         path,
         "unknown import " +
             (element.is_string() ? std::string(element.raw()) : found_text(element)) +
             " is left out; choose from " + choices);
  }
  return kinds;
}

// Nothing in it that nobody sees, joiners neither, so that no two look alike for that.
bool shows_itself(const std::string& name) {
  for (std::size_t at = 0; at < name.size();) {
    if (text::is_joiner(text::next_code_point(name, at))) {
      return false;
    }
  }
  return text::printable_line(name) == name;
}

// Why it is no server; empty: it is one.
std::string entry_problem(const std::string& name, json::Value entry, const Origin& origin) {
  if (text::trim(name).empty()) {
    return "needs a name";
  }
  if (origin.project && !shows_itself(name)) {
    return "has characters in its name that nobody sees";
  }
  if (origin.project && entry.raw().size() > project_entry_bytes_max) {
    return "is larger than " + text::size_text(project_entry_bytes_max);
  }
  return entry.is_object() ? "" : "must be an object, found " + found_text(entry);
}

RawServer server_of(const std::string& name, json::Value entry, const Origin& origin) {
  RawServer server{.name = name,
                   .fields = RawObject::from(entry),
                   .origin = origin,
                   .digest = {},
                   .written = {}};
  if (origin.project) {
    server.digest = entry_digest(name, entry);
    server.written = server.fields.text();
  }
  return server;
}

RawObject own_settings(json::Value settings, const Origin& origin, std::vector<Warning>& warnings) {
  const std::string& path = origin.path;
  if (origin.project && settings.raw().size() > project_entry_bytes_max) {
    warn(warnings,
         path,
         "\"settings\" is larger than " + text::size_text(project_entry_bytes_max) +
             "; it is ignored");
    return {};
  }
  if (settings && !settings.is_object()) {
    warn(warnings,
         path,
         "\"settings\" must be an object, found " + found_text(settings) + "; it is ignored");
  }
  RawObject fields = RawObject::from(settings);
  const Place place{.scope = KeyScope::settings, .path = path, .server = ""};
  check_spelling(fields, place, warnings);
  check_types(fields, place, warnings);
  return fields;
}

}  // namespace

std::optional<json::Document> parse_json_file(std::string text,
                                              const std::string& path,
                                              std::vector<Warning>& warnings) {
  if (text.starts_with(byte_order_mark)) {
    text.erase(0, byte_order_mark.size());
  }
  if (json::is_blank(text)) {
    return std::nullopt;
  }
  constexpr json::ParseOptions options{.syntax = json::Syntax::jsonc,
                                       .bytes_max = config_bytes_max};
  const SharedText shared(std::move(text));
  Result<json::Document> document = json::Document::parse(shared, options);
  if (!document) {
    warn_unreadable(warnings,
                    path,
                    path + ": " + document.error().message(),
                    json::failure_position(shared.view(), options));
    return std::nullopt;
  }
  return *std::move(document);
}

std::string_view servers_key(json::Value root) {
  return !root.find("mcpServers") && root.find("mcp-servers") ? "mcp-servers" : "mcpServers";
}

std::vector<RawServer> read_servers(json::Value map,
                                    std::string_view key,
                                    const Origin& origin,
                                    std::vector<Warning>& warnings) {
  std::vector<RawServer> servers;
  std::map<std::string, std::size_t> places;
  std::size_t count = 0;
  if (map && !map.is_object() && !map.is(json::Kind::null)) {
    warn(warnings,
         origin.path,
         "\"" + std::string(key) + "\" must be an object with one entry per server, found " +
             found_text(map) + "; no server is read from this file");
  }
  for (const json::Member member : map.members()) {
    if (origin.project && ++count > project_servers_max) {
      warn(warnings,
           origin.path,
           "only its first " + std::to_string(project_servers_max) + " servers are read");
      break;
    }
    const std::string name = member.name();
    if (const std::string problem = entry_problem(name, member.value, origin); !problem.empty()) {
      warn(warnings,
           origin.path,
           ("server \"" + name + "\" ").append(problem).append("; the entry is left out"),
           name);
      continue;
    }
    RawServer server = server_of(name, member.value, origin);
    const auto [place, is_first] = places.try_emplace(name, servers.size());
    if (is_first) {
      servers.push_back(std::move(server));
      continue;
    }
    warn(
        warnings, origin.path, "server \"" + name + "\" is there twice; the last one counts", name);
    servers[place->second] = std::move(server);
  }
  return servers;
}

void translate_enabled(RawObject& fields) {
  const std::optional<RawField> enabled = fields.take("enabled");
  if (enabled && !enabled->value().is(json::Kind::null) && !fields.find("disabled")) {
    fields.set("disabled", enabled->value().bool_or(false) ? "false" : "true");
  }
}

Layer read_layer(json::Value root, const Origin& origin, std::vector<Warning>& warnings) {
  const std::string& path = origin.path;
  Layer layer;
  layer.origin = origin;
  if (!root.is_object()) {
    warn_unreadable(
        warnings, path, path + ": the file must hold one JSON object, found " + found_text(root));
    return layer;
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const json::Member member : root.members()) {
    const std::string name = member.name();
    if (seen.insert(name).second) {
      names.push_back(name);
    } else if (!is_annotation(name)) {
      warn(warnings, path, "\"" + name + "\" is there twice; the last one counts");
    }
  }
  check_spelling(names, {.scope = KeyScope::root, .path = path, .server = ""}, warnings);
  layer.servers = own_servers(root, origin, warnings);
  layer.imports = own_imports(root.find("imports"), path, warnings);
  layer.settings = own_settings(root.find("settings"), origin, warnings);
  if (const json::Value plugins = root.find("claudePlugins"); plugins.is_array()) {
    layer.claude_plugins = json::compact(plugins);
  }
  return layer;
}

}  // namespace pi_mcp::config
