#include "config/server.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/keys.h"
#include "config/paths.h"
#include "config/values.h"

namespace pi_mcp::config {
namespace {

// Why a value that decides what is started cannot be used.
std::optional<std::string> value_problem(const Server& server, const RawObject& entry) {
  for (const std::string_view name : {"command", "args", "url", "socket"}) {
    const json::Value value = entry.find(name);
    const Key* key = find_key(KeyScope::server, name);
    const std::string where = server.origins.contains(std::string(name))
                                  ? server.origins.at(std::string(name)).path
                                  : server.origin.path;
    if (value && key != nullptr && !accepts(*key, value)) {
      return "server \"" + server.name + "\": \"" + std::string(name) + "\" must be " +
             expected(*key) + ", found " + found_text(value) + "; correct it in " + where;
    }
    if (value.is_string() && text::trim(value.string_or("")).empty()) {
      return "server \"" + server.name + "\": \"" + std::string(name) +
             "\" is empty; correct it in " + where;
    }
  }
  return std::nullopt;
}

// Another word would count as the default, and a person would be asked where nobody is.
std::optional<std::string> grant_problem(const Server& server, const RawObject& entry) {
  const json::Value grant = entry.find("oauth").find("grantType");
  if (!grant || grant_of(grant)) {
    return std::nullopt;
  }
  const auto origin = server.origins.find("oauth");
  return "server \"" + server.name + "\": \"oauth.grantType\" must be one of " +
         text::join(grant_names(), ", ") + "; correct it in " +
         (origin == server.origins.end() ? server.origin.path : origin->second.path);
}

std::optional<std::string> transport_problem(const Server& server) {
  std::vector<std::string> given;
  for (const auto& [name, value] : {std::pair("command", &server.command),
                                    std::pair("url", &server.url),
                                    std::pair("socket", &server.socket)}) {
    if (*value) {
      given.emplace_back(name);
    }
  }
  if (given.size() == 1) {
    return std::nullopt;
  }
  return "server \"" + server.name +
         "\" must configure exactly one of command, url, or socket; it " +
         (given.empty() ? "has none" : "has " + text::join(given, " and ")) + "; correct it in " +
         server.origin.path;
}

// A project's word on which tools ask first adds to the user's.
void unite(Selection& own, const Selection& users) {
  own.all = own.all || users.all;
  own.names.insert(own.names.end(), users.names.begin(), users.names.end());
}

// "pi-mcp" of "/usr/bin/pi-mcp", "pi-mcp.exe" and "pi-mcp@1.2.3".
std::string_view program_name(std::string_view word) {
  word = base_name(word);
  word = word.substr(0, word.find('@', 1));
  return word.ends_with(".exe") ? word.substr(0, word.size() - 4) : word;
}

}  // namespace

Server make_server(const MergedServer& merged, const Settings& settings) {
  Server server;
  server.name = merged.name;
  server.origin = merged.origin;
  server.standing = merged.standing;
  server.replaces_users = merged.replaces_users;
  if (merged.standing == Standing::needs_trust) {
    server.entry_json = "{}";
    server.disabled = true;
    return server;
  }
  for (const RawField& field : merged.fields.fields()) {
    server.origins[field.key] = field.origin;
  }
  server.entry_json = merged.fields.text();
  read_keys(merged.fields, server);
  if (server.standing == Standing::project && server.approve_tools && settings.approve_tools) {
    unite(*server.approve_tools, *settings.approve_tools);
  }
  server.problem = value_problem(server, merged.fields);
  if (!server.problem) {
    server.problem = transport_problem(server);
  }
  if (!server.problem) {
    server.problem = grant_problem(server, merged.fields);
  }
  return server;
}

void apply_settings(const MergedServer& merged, Settings& settings) {
  settings.settings_json = merged.fields.text();
  for (const RawField& field : merged.fields.fields()) {
    settings.origins[field.key] = field.origin;
  }
  read_keys(merged.fields, settings);
}

bool starts_this_program(const Server& server) {
  std::vector<std::string> words = server.args;
  words.insert(words.begin(), server.command.value_or(""));
  const auto program = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return program_name(word) == "pi-mcp";
  });
  return std::find(program, words.end(), "serve") != words.end();
}

bool is_only_choices(const Server& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  if (!entry || entry->root().size() == 0) {
    return false;
  }
  for (const json::Member member : entry->root().members()) {
    if (!member.key.equals("disabled") && !member.key.equals("directTools")) {
      return false;
    }
  }
  return true;
}

}  // namespace pi_mcp::config
