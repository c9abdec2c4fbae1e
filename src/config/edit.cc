#include "config/edit.h"

#include <algorithm>

#include "base/text.h"
#include "config/import/imports.h"
#include "config/parse.h"
#include "config/paths.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// The root of a text that may be blank; absent then, and when it is malformed.
json::Document parse_lenient(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) {
    text.remove_prefix(byte_order_mark.size());
  }
  Result<json::Document> document =
      json::Document::parse(std::string(text), {.syntax = json::Syntax::jsonc});
  return document ? *std::move(document) : json::Document();
}

std::string servers_key(std::string_view text) {
  return std::string(config::servers_key(parse_lenient(text).root()));
}

}  // namespace

std::string target_file(const Environment& environment, const LoadOptions& options, Target target) {
  if (options.config_file) {
    return absolute_path(environment, environment.cwd, *options.config_file);
  }
  return target == Target::global ? join_path(environment, agent_dir(environment), "mcp.json")
                                  : join_path(environment, environment.cwd, ".pi/mcp.json");
}

Origin definition(const Server& server) {
  for (const char* key : {"command", "url", "socket"}) {
    const auto found = server.origins.find(key);
    if (found != server.origins.end()) {
      return found->second;
    }
  }
  return server.origin;
}

std::vector<std::string> own_files(const Server& server) {
  std::vector<std::string> files;
  const auto add = [&files](const Origin& origin) {
    const bool is_new = std::find(files.begin(), files.end(), origin.path) == files.end();
    if (origin.import_kind.empty() && is_new) {
      files.push_back(origin.path);
    }
  };
  for (const auto& [key, origin] : server.origins) {
    if (origin.path != server.origin.path) {
      add(origin);
    }
  }
  add(server.origin);
  return files;
}

std::string changed_file(const Server& server,
                         const Environment& environment,
                         const LoadOptions& options) {
  const Origin origin = definition(server);
  return origin.import_kind.empty() ? origin.path
                                    : target_file(environment, options, Target::global);
}

Result<std::string> put_server(std::string_view text,
                               const std::string& name,
                               std::string_view entry_json) {
  const Result<json::Document> entry = json::Document::parse(std::string(entry_json));
  if (!entry || !entry->root().is_object()) {
    return fail(ErrorCode::invalid_argument,
                "the entry of server \"" + name + "\" must be a JSON object" +
                    (entry ? std::string() : ": " + entry.error().message()));
  }
  if (text::trim(name).empty()) {
    return fail(ErrorCode::invalid_argument, "a server needs a name");
  }
  return json::set_member(text, {servers_key(text), name}, entry_json);
}

Result<std::string> remove_server(std::string_view text, const std::string& name) {
  Result<std::string> changed = json::remove_member(text, {servers_key(text), name});
  if (!changed && changed.error().code() == ErrorCode::not_found) {
    return fail(ErrorCode::not_found, "there is no server \"" + name + "\" in this file");
  }
  return changed;
}

Result<std::string> add_import(std::string_view text, const std::string& kind) {
  const std::vector<std::string> kinds = import_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    return fail(ErrorCode::invalid_argument,
                "unknown import \"" + kind + "\": choose from " + text::join(kinds, ", "));
  }
  const json::Document document = parse_lenient(text);
  for (const json::Value element : document.root().find("imports").elements()) {
    if (element.equals(kind)) {
      return std::string(text);
    }
  }
  return json::append_element(text, {"imports"}, json::quoted(kind));
}

Result<std::string> remove_import(std::string_view text, const std::string& kind) {
  const json::Document document = parse_lenient(text);
  std::vector<std::string> kept;
  bool found = false;
  for (const json::Value element : document.root().find("imports").elements()) {
    const bool is_it = element.equals(kind);
    found = found || is_it;
    if (!is_it) {
      kept.emplace_back(element.raw());
    }
  }
  if (!found) {
    return std::string(text);
  }
  return kept.empty() ? json::remove_member(text, {"imports"})
                      : json::set_member(text, {"imports"}, "[" + text::join(kept, ", ") + "]");
}

Result<std::string> set_server_key(std::string_view text,
                                   const std::string& name,
                                   std::string_view key,
                                   std::string_view value_json) {
  return json::set_member(text, {servers_key(text), name, std::string(key)}, value_json);
}

Result<std::string> remove_server_key(std::string_view text,
                                      const std::string& name,
                                      std::string_view key) {
  const std::string servers = servers_key(text);
  const json::Document document = parse_lenient(text);
  const json::Value entry = document.root().at({servers, name});
  if (!entry.find(key)) {
    return std::string(text);
  }
  return entry.size() == 1 ? json::remove_member(text, {servers, name})
                           : json::remove_member(text, {servers, name, std::string(key)});
}

}  // namespace pi_mcp::config
