#include "config/merge.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "config/trust/project_merge.h"

namespace pi_mcp::config {
namespace {

constexpr std::array<std::string_view, 7> stdio_keys = {
    "command", "args", "env", "cwd", "inheritEnv", "literalEnv", "type"};
constexpr std::array<std::string_view, 11> http_keys = {"url",
                                                        "headers",
                                                        "auth",
                                                        "bearerToken",
                                                        "bearerTokenEnv",
                                                        "bearerTokenStore",
                                                        "oauth",
                                                        "caFile",
                                                        "requestHeadersCommand",
                                                        "httpTransport",
                                                        "type"};
constexpr std::array<std::string_view, 2> socket_keys = {"socket", "type"};

// Whatever proves who we are to the server at the old url.
constexpr std::array<std::string_view, 6> credential_keys = {"headers",
                                                             "bearerToken",
                                                             "bearerTokenEnv",
                                                             "bearerTokenStore",
                                                             "requestHeadersCommand",
                                                             "caFile"};

struct Transport {
  std::string_view key;
  std::span<const std::string_view> keys;
};
constexpr std::array<Transport, 3> transports = {Transport{.key = "command", .keys = stdio_keys},
                                                 Transport{.key = "url", .keys = http_keys},
                                                 Transport{.key = "socket", .keys = socket_keys}};

void drop(MergedServer& server, std::span<const std::string_view> keys) {
  server.fields.erase_if(
      [keys](const RawField& field) { return std::ranges::find(keys, field.key) != keys.end(); });
}

bool sets(const RawServer& server, std::string_view key) {
  const json::Value value = server.fields.find(key);
  return value && !value.is(json::Kind::null);
}

bool sets_a_transport(const RawServer& server) {
  return std::any_of(transports.begin(), transports.end(), [&](const Transport& transport) {
    return sets(server, transport.key);
  });
}

void drop_other_transports(MergedServer& base, const RawServer& over) {
  for (const Transport& transport : transports) {
    if (!sets(over, transport.key) && base.fields.find(transport.key)) {
      drop(base, transport.keys);
    }
  }
}

bool changes_url(const MergedServer& base, const RawServer& over) {
  const json::Value before = base.fields.find("url");
  const json::Value after = over.fields.find("url");
  return before && after && before.as_string() != after.as_string();
}

void drop_credentials(MergedServer& base) {
  drop(base, credential_keys);
  // oauth: false says "never", which holds for any url.
  base.fields.erase_if(
      [](const RawField& field) { return field.key == "oauth" && field.value().raw() != "false"; });
}

}  // namespace

void set_field(MergedServer& base, RawField field, const Origin& origin) {
  if (field.value().is(json::Kind::null)) {
    base.fields.take(field.key);
  } else {
    field.origin = origin;
    base.fields.set(std::move(field));
  }
}

const RawField* transport_of(const MergedServer& server) {
  for (const Transport& transport : transports) {
    if (const RawField* field = server.fields.field(transport.key)) {
      return field;
    }
  }
  return nullptr;
}

void merge_over(MergedServer& base, const RawServer& over) {
  if (changes_url(base, over)) {
    drop_credentials(base);
  }
  if (sets_a_transport(over)) {
    drop_other_transports(base, over);
  }
  for (const RawField& field : over.fields.fields()) {
    set_field(base, field, over.origin);
  }
  base.origin = over.origin;
}

MergedServer& Merge::at(const std::string& server) {
  const auto found = std::ranges::find(servers_, server, &MergedServer::name);
  if (found != servers_.end()) {
    return *found;
  }
  servers_.push_back({.name = server, .fields = {}, .origin = {}});
  return servers_.back();
}

const MergedServer* Merge::find(std::string_view server) const {
  const auto found = std::ranges::find(servers_, server, &MergedServer::name);
  return found == servers_.end() ? nullptr : &*found;
}

void Merge::note_hidden(const std::string& server, const std::string& path, const std::string& by) {
  if (path != by) {
    hidden_.push_back({.name = server, .path = path, .by_path = by});
  }
}

void Merge::add(const RawServer& server) {
  MergedServer& base = at(server.name);
  const RawField* other = transport_of(base);
  if (other != nullptr && sets_a_transport(server)) {
    note_hidden(server.name, other->origin.path, server.origin.path);
  }
  merge_over(base, server);
}

void Merge::add_project(const RawServer& server, bool below, std::vector<Warning>& warnings) {
  MergedServer& base = at(server.name);
  const RawField* other = transport_of(base);
  // What a host keeps in the project replaces what it keeps elsewhere, not what is in our own
  // files.
  const bool hidden = below && other != nullptr && other->origin.import_kind.empty();
  if (hidden) {
    note_hidden(server.name, server.origin.path, other->origin.path);
    return;
  }
  if (other != nullptr && sets_a_transport(server)) {
    note_hidden(server.name, other->origin.path, server.origin.path);
  }
  merge_project(base, server, warnings);
}

void Merge::add_project_settings(const Layer& layer, std::vector<Warning>& warnings) {
  merge_project_settings(settings_, layer, warnings);
}

void Merge::choose(const RawServer& choice) {
  for (const RawField& field : choice.fields.fields()) {
    set_field(at(choice.name), field, choice.origin);
  }
}

void Merge::add_waiting(const RawServer& server) {
  MergedServer& base = at(server.name);
  if (!has_transport(base)) {
    base.fields = {};
    base.origin = server.origin;
    base.standing = Standing::needs_trust;
  }
}

void Merge::add_settings(const RawObject& settings, const Origin& origin) {
  for (const RawField& field : settings.fields()) {
    set_field(settings_, field, origin);
  }
}

void Merge::add_below(const RawServer& server) {
  const auto found = std::ranges::find(servers_, server.name, &MergedServer::name);
  if (found == servers_.end()) {
    add(server);
    return;
  }
  if (const RawField* other = transport_of(*found)) {
    note_hidden(server.name, server.origin.path, other->origin.path);
    return;
  }
  MergedServer merged{.name = server.name, .fields = {}, .origin = {}};
  merge_over(merged, server);
  for (const RawField& field : found->fields.fields()) {
    set_field(merged, field, field.origin);
  }
  merged.origin = found->origin;
  *found = std::move(merged);
}

}  // namespace pi_mcp::config
