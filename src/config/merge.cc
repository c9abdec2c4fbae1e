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
  std::erase_if(server.fields, [keys](const MergedField& field) {
    return std::find(keys.begin(), keys.end(), field.key) != keys.end();
  });
}

bool sets(const RawServer& server, std::string_view key) {
  const std::string* json = server.fields.find(key);
  return json != nullptr && *json != "null";
}

bool sets_a_transport(const RawServer& server) {
  return std::any_of(transports.begin(), transports.end(), [&](const Transport& transport) {
    return sets(server, transport.key);
  });
}

void drop_other_transports(MergedServer& base, const RawServer& over) {
  for (const Transport& transport : transports) {
    if (!sets(over, transport.key) && base.find(transport.key) != nullptr) {
      drop(base, transport.keys);
    }
  }
}

bool changes_url(const MergedServer& base, const RawServer& over) {
  const MergedField* before = base.find("url");
  const std::string* after = over.fields.find("url");
  if (before == nullptr || after == nullptr) {
    return false;
  }
  return parse_trusted(before->json).root().as_string() != parse_trusted(*after).root().as_string();
}

void drop_credentials(MergedServer& base) {
  drop(base, credential_keys);
  // oauth: false says "never", which holds for any url.
  std::erase_if(base.fields, [](const MergedField& field) {
    return field.key == "oauth" && field.json != "false";
  });
}

}  // namespace

void set_field(MergedServer& base, const RawField& field, const Origin& origin) {
  const auto found = std::find_if(base.fields.begin(),
                                  base.fields.end(),
                                  [&](const MergedField& one) { return one.key == field.key; });
  if (field.json == "null") {
    if (found != base.fields.end()) {
      base.fields.erase(found);
    }
  } else if (found == base.fields.end()) {
    base.fields.push_back({field.key, field.json, origin});
  } else {
    *found = {.key = field.key, .json = field.json, .origin = origin};
  }
}

bool has_transport(const MergedServer& server) {
  return std::ranges::any_of(transports, [&server](const Transport& transport) {
    return server.find(transport.key) != nullptr;
  });
}

const MergedField* MergedServer::find(std::string_view key) const {
  const auto found = std::find_if(
      fields.begin(), fields.end(), [key](const MergedField& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
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

void Merge::add(const RawServer& server) {
  merge_over(at(server.name), server);
}

void Merge::add_project(const RawServer& server, bool below, std::vector<Warning>& warnings) {
  MergedServer& base = at(server.name);
  // What a host keeps in the project replaces what it keeps elsewhere, not what is in our own
  // files.
  const bool hidden = below && std::ranges::any_of(transports, [&base](const Transport& transport) {
                        const MergedField* field = base.find(transport.key);
                        return field != nullptr && field->origin.import_kind.empty();
                      });
  if (!hidden) {
    merge_project(base, server, warnings);
  }
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
    base.fields.clear();
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
  const auto found = std::find_if(servers_.begin(), servers_.end(), [&](const MergedServer& one) {
    return one.name == server.name;
  });
  if (found == servers_.end()) {
    add(server);
    return;
  }
  if (has_transport(*found)) {
    return;
  }
  MergedServer merged{.name = server.name, .fields = {}, .origin = {}};
  merge_over(merged, server);
  for (const MergedField& field : found->fields) {
    set_field(merged, {.key = field.key, .json = field.json}, field.origin);
  }
  merged.origin = found->origin;
  *found = std::move(merged);
}

}  // namespace pi_mcp::config
