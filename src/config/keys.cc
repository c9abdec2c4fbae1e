#include "config/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

using enum KeyScope;
using enum ValueType;

constexpr std::array known = {
    Key{root, "mcpServers", object},
    Key{root, "mcp-servers", object},
    Key{root, "imports", text_list},
    Key{root, "settings", object},
    Key{root, "claudePlugins", any},

    Key{server, "type", choice, "stdio|http|sse|streamable-http|streamableHttp|local|remote"},
    Key{server, "command", text},
    Key{server, "args", text_list},
    Key{server, "env", text_map},
    Key{server, "cwd", text},
    Key{server, "inheritEnv", flag},
    Key{server, "literalEnv", flag},
    Key{server, "url", text},
    Key{server, "headers", text_map},
    Key{server, "auth", choice_or_false, "oauth|bearer"},
    Key{server, "bearerToken", text},
    Key{server, "bearerTokenEnv", text},
    Key{server, "bearerTokenStore", any},
    Key{server, "caFile", text},
    Key{server, "requestHeadersCommand", object},
    Key{server, "oauth", flag_or_object},
    Key{server, "httpTransport", choice, "streamable-http|sse"},
    Key{server, "socket", text},
    Key{server, "lifecycle", choice, "lazy|eager|keep-alive|lazy-keep-alive"},
    Key{server, "idleTimeout", minutes},
    Key{server, "requestTimeoutMs", milliseconds},
    Key{server, "requestTotalTimeoutMs", milliseconds},
    Key{server, "startupTimeoutMs", milliseconds},
    Key{server, "installTimeoutMs", milliseconds},
    Key{server, "disabled", flag},
    Key{server, "enabled", flag},
    Key{server, "exposeResources", flag},
    Key{server, "includeTools", text_list},
    Key{server, "excludeTools", text_list},
    Key{server, "toolPrefix", choice, "server|short|none|mcp"},
    Key{server, "searchKeywords", word_lists},
    Key{server, "directTools", selection},
    Key{server, "approveTools", selection},
    Key{server, "debug", flag},
    Key{server, "trace", any},
    Key{server, "protocolVersion", choice, "auto|legacy|2026-07-28"},
    Key{server, "tasks", any},
    Key{server, "pluginDataDir", any},

    Key{settings, "toolPrefix", choice, "server|short|none|mcp"},
    Key{settings, "idleTimeout", minutes},
    Key{settings, "requestTimeoutMs", milliseconds},
    Key{settings, "requestTotalTimeoutMs", milliseconds},
    Key{settings, "startupTimeoutMs", milliseconds},
    Key{settings, "installTimeoutMs", milliseconds},
    Key{settings, "outputGuard", flag_or_object},
    Key{settings, "ancestorConfigRoots", text_list},
    Key{settings, "directTools", selection},
    Key{settings, "approveTools", selection},
    Key{settings, "agentPluginPaths", any},
    Key{settings, "authRequiredMessage", any},
    Key{settings, "autoAuth", flag},
    Key{settings, "collapsedResultLines", any},
    Key{settings, "directToolResultDetails", any},
    Key{settings, "disableProxyTool", any},
    Key{settings, "elicitation", flag},
    Key{settings, "freezeDirectTools", flag},
    Key{settings, "hostConfigDiscovery", choice, "off|prompt|on"},
    Key{settings, "jev", any},
    Key{settings, "mcpFooterStatus", any},
    Key{settings, "namespaceProxyTools", any},
    Key{settings, "notifyOnStartupConnect", any},
    Key{settings, "oauthCredentialStore", choice, "auto|file|encrypted-file"},
    Key{settings, "oauthDir", any},
    Key{settings, "sampling", flag},
    Key{settings, "samplingAutoApprove", any},
    Key{settings, "scriptMode", any},
    Key{settings, "showStatusIcon", any},
    Key{settings, "splitTool", flag},
    Key{settings, "strictDirectToolArguments", any},
    Key{settings, "toolResultRendering", any},
    Key{settings, "trace", any},
    Key{settings, "warnOnLargeDirectTools", any},
};

bool is_text(json::Value value) {
  return value.is(json::Kind::string) || value.is(json::Kind::number) ||
         value.is(json::Kind::boolean);
}

bool is_text_list(json::Value value) {
  for (const json::Value element : value.elements()) {
    if (!is_text(element)) {
      return false;
    }
  }
  return value.is_array();
}

bool is_word_lists(json::Value value) {
  for (const json::Member member : value.members()) {
    if (!is_text_list(member.value)) {
      return false;
    }
  }
  return value.is_object();
}

bool is_choice(std::string_view choices, json::Value value) {
  const std::vector<std::string_view> allowed = text::split(choices, '|');
  return std::any_of(
      allowed.begin(), allowed.end(), [value](std::string_view one) { return value.equals(one); });
}

bool is_not_negative(json::Value value) {
  return value.as_double().value_or(-1) >= 0;
}

// A file name, "server \"x\"" when there is one, and where in it.
std::string where(const Place& place) {
  switch (place.scope) {
    case root:
      return place.path + ": ";
    case server:
      return place.path + ": server \"" + place.server + "\": ";
    case settings:
      return place.path + ": settings: ";
  }
  return {};
}

bool is_time(const Key& key) {
  return key.type == minutes || key.type == milliseconds;
}

// A time is never a secret, so a wrong one is shown.
std::string value_text(json::Value value) {
  return value.is(json::Kind::number) ? text::cut(value.raw(), 20) : found_text(value);
}

bool decides_what_is_started(std::string_view key) {
  return key == "command" || key == "args" || key == "url" || key == "socket";
}

// Members of env and headers that are no text go, the others stay.
void check_members(RawField& field, const Place& place, std::vector<Warning>& warnings) {
  const json::Document document = parse_trusted(field.json);
  RawObject kept = RawObject::from(document.root());
  for (const json::Member member : document.root().members()) {
    if (!is_text(member.value) && kept.take(member.name())) {
      warnings.push_back({place.path,
                          where(place) + "\"" + field.key + "." + member.name() +
                              "\" must be a string, found " + found_text(member.value) +
                              "; it is ignored"});
      field.json = kept.text();
    }
  }
}

// Of requestHeadersCommand.
constexpr std::array headers_command_keys = {
    Key{server, "command", text},
    Key{server, "args", text_list},
    Key{server, "env", text_map},
    Key{server, "timeoutMs", milliseconds},
};
constexpr double headers_timeout_max = 60'000;

// Its members of a wrong type go, the others stay.
void check_headers_command(RawField& field, const Place& place, std::vector<Warning>& warnings) {
  const json::Document document = parse_trusted(field.json);
  const json::Value command = document.root();
  if (!command.is_object()) {
    return;  // null takes it away
  }
  RawObject kept = RawObject::from(command);
  const auto warn = [&](std::string_view member, const std::string& text) {
    warnings.push_back(
        {place.path, where(place) + "\"" + field.key + "." + std::string(member) + "\" " + text});
  };
  for (const Key& key : headers_command_keys) {
    const json::Value value = command.find(key.name);
    if (value && !accepts(key, value) && kept.take(key.name)) {
      warn(key.name,
           "must be " + expected(key) + ", found " + found_text(value) + "; it is ignored");
    }
  }
  if (!command.find("command")) {
    warn("command", "is missing; the server cannot be used until it names a program");
  }
  if (command.find("timeoutMs").as_double().value_or(0) > headers_timeout_max) {
    warn("timeoutMs", "is larger than 60000, which is used");
  }
  field.json = kept.text();
}

// The members of a value that is itself of the right type.
void check_inside(const Key& key,
                  RawField& field,
                  const Place& place,
                  std::vector<Warning>& warnings) {
  if (key.type == text_map) {
    check_members(field, place, warnings);
  } else if (key.name == "requestHeadersCommand") {
    check_headers_command(field, place, warnings);
  }
}

// Comments that people write as keys, and schema references.
bool is_annotation(std::string_view key) {
  return key.empty() || std::string_view("$_/#@").find(key.front()) != std::string_view::npos ||
         key.starts_with("x-");
}

std::string scope_text(const Place& place) {
  switch (place.scope) {
    case root:
      return "at the top level";
    case server:
      return "in server " + place.server;
    case KeyScope::settings:
      return "in settings";
  }
  return {};
}

}  // namespace

std::span<const Key> known_keys() {
  return known;
}

const Key* find_key(KeyScope scope, std::string_view name) {
  const auto* const found = std::find_if(known.begin(), known.end(), [&](const Key& key) {
    return key.scope == scope && key.name == name;
  });
  return found == known.end() ? nullptr : found;
}

std::optional<std::string_view> near_key(KeyScope scope, std::string_view name) {
  constexpr std::size_t name_length_max = 64;  // edit_distance is quadratic
  std::optional<std::string_view> nearest;
  std::size_t best = name_length_max;
  if (name.size() > name_length_max) {
    return nearest;
  }
  for (const Key& key : known) {
    // Two letters of a short word make another word: "dev" is a key of its own, not a misspelt
    // "env".
    const std::size_t distance_max = key.name.size() < 6 ? 1 : 2;
    const std::size_t distance = key.scope == scope ? text::edit_distance(name, key.name) : best;
    if (distance < best && distance <= distance_max) {
      best = distance;
      nearest = key.name;
    }
  }
  return nearest;
}

std::string expected(const Key& key) {
  switch (key.type) {
    case text:
      return "a string";
    case flag:
      return "true or false";
    case minutes:
      return "a number of minutes";
    case milliseconds:
      return "a number of milliseconds, 0 or more";
    case text_list:
      return "an array of strings";
    case text_map:
      return "an object with string values";
    case choice:
      return "one of " + text::replace_all(key.choices, "|", ", ");
    case choice_or_false:
      return "false or one of " + text::replace_all(key.choices, "|", ", ");
    case selection:
      return "true, false or an array of strings";
    case object:
      return "an object";
    case flag_or_object:
      return "true, false or an object";
    case word_lists:
      return "an object with arrays of strings";
    case any:
      return "any value";
  }
  return {};
}

bool accepts(const Key& key, json::Value value) {
  switch (key.type) {
    case text:
      return value.is_string();
    case flag:
      return value.is(json::Kind::boolean);
    case minutes:
      return value.as_double().has_value();
    case milliseconds:
      return is_not_negative(value);
    case text_list:
      return is_text_list(value);
    case text_map:
    case object:
      return value.is_object();
    case choice:
      return is_choice(key.choices, value);
    case choice_or_false:
      return value.raw() == "false" || is_choice(key.choices, value);
    case selection:
      return value.is(json::Kind::boolean) || is_text_list(value) || value.equals("search") ||
             value.equals("destructive") || value.equals("marked");
    case flag_or_object:
      return value.is(json::Kind::boolean) || value.is_object();
    case word_lists:
      return is_word_lists(value);
    case any:
      return true;
  }
  return false;
}

std::string found_text(json::Value value) {
  switch (value.kind()) {
    case json::Kind::null:
      return "null";
    case json::Kind::array:
      return "an array";
    case json::Kind::object:
      return "an object";
    case json::Kind::boolean:
      return std::string(value.raw());
    case json::Kind::number:
      return "a number";
    case json::Kind::string:
      return "a string";
  }
  return {};
}

void check_types(RawObject& fields, const Place& place, std::vector<Warning>& warnings) {
  RawObject kept;
  for (RawField field : fields.fields()) {
    const Key* key = find_key(place.scope, field.key);
    const Result<json::Document> document = json::Document::parse_view(field.json);
    const json::Value value = document ? document->root() : json::Value();
    // null takes a key of a lower source away.
    if (key == nullptr || value.is(json::Kind::null) || accepts(*key, value)) {
      if (key != nullptr) {
        check_inside(*key, field, place, warnings);
      }
      kept.set(field.key, std::move(field.json));
      continue;
    }
    const bool stays = place.scope == server && decides_what_is_started(key->name);
    warnings.push_back({place.path,
                        where(place) + "\"" + field.key + "\" must be " + expected(*key) +
                            ", found " + (is_time(*key) ? value_text(value) : found_text(value)) +
                            (stays ? "; the server cannot be used until that is corrected"
                                   : "; the value is ignored")});
    if (stays) {
      kept.set(field.key, std::move(field.json));
    }
  }
  fields = std::move(kept);
}

void check_spelling(const RawObject& fields, const Place& place, std::vector<Warning>& warnings) {
  for (const RawField& field : fields.fields()) {
    if (find_key(place.scope, field.key) != nullptr || is_annotation(field.key)) {
      continue;
    }
    if (const std::optional<std::string_view> near = near_key(place.scope, field.key)) {
      warnings.push_back({place.path,
                          place.path + ": unknown key \"" + field.key + "\" " + scope_text(place) +
                              ", did you mean \"" + std::string(*near) + "\"?"});
    }
  }
}

}  // namespace pi_mcp::config
