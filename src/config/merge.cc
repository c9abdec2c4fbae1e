#include "config/merge.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

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

void set(MergedServer& base, const RawField& field, const Origin& origin) {
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

}  // namespace

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
    set(base, field, over.origin);
  }
  base.origin = over.origin;
}

void Merge::add(const RawServer& server) {
  auto found = std::find_if(servers_.begin(), servers_.end(), [&](const MergedServer& one) {
    return one.name == server.name;
  });
  if (found == servers_.end()) {
    found = servers_.insert(servers_.end(), {.name = server.name, .fields = {}, .origin = {}});
  }
  merge_over(*found, server);
}

void Merge::add_settings(const RawObject& settings, const Origin& origin) {
  for (const RawField& field : settings.fields()) {
    set(settings_, field, origin);
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
  if (std::any_of(transports.begin(), transports.end(), [&](const Transport& transport) {
        return found->find(transport.key) != nullptr;
      })) {
    return;
  }
  MergedServer merged{.name = server.name, .fields = {}, .origin = {}};
  merge_over(merged, server);
  for (const MergedField& field : found->fields) {
    set(merged, {.key = field.key, .json = field.json}, field.origin);
  }
  merged.origin = found->origin;
  *found = std::move(merged);
}

}  // namespace pi_mcp::config
