#include "config/server.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/keys.h"
#include "config/paths.h"
#include "config/values.h"

namespace pi_mcp::config {
namespace {

// The file to correct.
const std::string& file_of(const Server& server, const std::string& key) {
  const auto origin = server.origins.find(key);
  return origin == server.origins.end() ? server.origin.path : origin->second.path;
}

// The first value that decides what is started and cannot be used.
void find_value_problem(Server& server, const RawObject& entry) {
  for (const std::string_view name :
       {"command", "args", "url", "socket", "exposure", "toolExposure"}) {
    const json::Value value = entry.find(name);
    const Key* key = find_key(KeyScope::server, name);
    std::string why;
    if (value && key != nullptr && !accepts(*key, value)) {
      why = unusable_text(server.name, name, *key, value);
    } else if (value.is_string() && text::trim(value.string_or("")).empty()) {
      why = "server \"" + server.name + "\": \"" + std::string(name) + "\" is empty";
    } else {
      continue;
    }
    server.problem_key = name;
    server.problem = why + "; correct it in " + file_of(server, server.problem_key);
    return;
  }
}

// Another word would count as the default, and a person would be asked where nobody is.
std::optional<std::string> grant_problem(const Server& server, const RawObject& entry) {
  const json::Value grant = entry.find("oauth").find("grantType");
  if (!grant || grant_of(grant)) {
    return std::nullopt;
  }
  return "server \"" + server.name + "\": \"oauth.grantType\" must be one of " +
         text::join(grant_names(), ", ") + "; correct it in " + file_of(server, "oauth");
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

// Whether no tool of it can be reached.
bool is_all_hidden(const Server& server) {
  return server.exposure == Exposure::hidden &&
         std::ranges::all_of(server.tool_exposure,
                             [](const auto& rule) { return rule.second == Exposure::hidden; });
}

// A project's word on which tools ask first adds to the user's.
void unite(Selection& own, const Selection& users) {
  own.all = own.all || users.all;
  own.names.insert(own.names.end(), users.names.begin(), users.names.end());
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
  server.hidden = !server.disabled && is_all_hidden(server);
  server.disabled = server.disabled || server.hidden;
  find_value_problem(server, merged.fields);
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

Exposure exposure_of(const Server& server, std::span<const std::string> names) {
  const auto rule_for = [&](const auto& matches) {
    return std::ranges::find_if(server.tool_exposure, [&](const auto& rule) {
      return std::ranges::any_of(
          names, [&](const std::string& name) { return matches(rule.first, name); });
    });
  };
  auto rule = rule_for(std::equal_to<std::string>());
  if (rule == server.tool_exposure.end()) {
    rule = rule_for(text::glob_match);
  }
  return rule == server.tool_exposure.end() ? server.exposure.value_or(Exposure::codemode)
                                            : rule->second;
}

std::string hidden_by(const Server& server) {
  return "\"exposure\" hides it, in " + file_of(server, "exposure");
}

std::string_view program_name(std::string_view word) {
  word = base_name(word);
  word = word.substr(0, word.find('@', 1));
  return word.ends_with(".exe") ? word.substr(0, word.size() - 4) : word;
}

bool starts_this_program(const Server& server) {
  const auto is_this = [](std::string_view word) {
    return program_name(word) == "pi-mcp";
  };
  const std::vector<std::string>& args = server.args;
  const auto behind = is_this(server.command.value_or(""))
                          ? args.begin()
                          : std::find_if(args.begin(), args.end(), is_this);
  return std::find(behind, args.end(), "serve") != args.end();
}

bool is_lost_program(const std::string& command, const FileSource& files) {
  return command.starts_with('/') && program_name(command) == "pi-mcp" && !files.is_file(command);
}

bool is_only_choices(const Server& server) {
  return !server.origins.empty() && std::ranges::all_of(server.origins, [](const auto& key) {
    return key.first == "disabled" || key.first == "directTools";
  });
}

}  // namespace pi_mcp::config
