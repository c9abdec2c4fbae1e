#include "config/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace pi_mcp::config {
namespace {

using enum KeyScope;
using enum ValueType;

// The keys of a whole file.
constexpr std::array root_keys = {
    Key(root, "mcpServers", object)
        .says(R"( | `{"files": {"command": "npx"}}` | one entry per server, see below)")
        .elsewhere(),
    Key(root, "mcp-servers", object)
        .says(" |  | the same; counts only without `mcpServers`")
        .elsewhere(),
    Key(root, "imports", text_list)
        .says(R"( | `["cursor", "codex"]` | servers of other hosts, see Imports)")
        .elsewhere(),
    Key(root, "settings", object).says(R"( | `{"toolPrefix": "none"}` | see Settings)").elsewhere(),
    Key(root, "claudePlugins", any)
        .says(R"( | `[{"path": "~/plugins/acme", "mcp": true}]` | servers of plugins of Claude )"
              "Code, see [Plugins](#plugins)")
        .elsewhere(),
};

struct TypeRow {
  constexpr TypeRow(ValueType of, std::string_view called, std::string_view wanted)
      : type(of), name(called), expected(wanted) {}

  ValueType type;
  std::string_view name;
  std::string_view expected;  // the choices follow "one of "
};

constexpr std::array types = {
    TypeRow(text, "string", "a string"),
    TypeRow(flag, "boolean", "true or false"),
    TypeRow(minutes, "minutes", "a number of minutes"),
    TypeRow(seconds, "seconds", "a number of seconds, 0 or more"),
    TypeRow(milliseconds, "milliseconds", "a number of milliseconds, 0 or more"),
    TypeRow(text_list, "string list", "an array of strings"),
    TypeRow(text_map, "string map", "an object with string values"),
    TypeRow(choice, "choice", "one of "),
    TypeRow(choice_or_false, "choice", "false or one of "),
    TypeRow(choice_map, "choices by name", "an object whose values are one of "),
    TypeRow(selection, "selection", "true, false or an array of strings"),
    TypeRow(object, "object", "an object"),
    TypeRow(flag_or_object, "boolean or object", "true, false or an object"),
    TypeRow(word_lists, "word lists", "an object with arrays of strings"),
    TypeRow(any, "any", "any value"),
};

constexpr std::array<std::pair<ProjectMay, std::string_view>, 9> rules = {{
    {ProjectMay::set, "set it"},
    {ProjectMay::set_true, "set `true`"},
    {ProjectMay::set_false, "set `false`"},
    {ProjectMay::add, "add to it"},
    {ProjectMay::narrow, "set it where the user has not"},
    {ProjectMay::lower, "lower its limits"},
    {ProjectMay::hide, "hide"},
    {ProjectMay::part, "share with fewer sessions"},
    {ProjectMay::nothing, "nothing"},
}};

const TypeRow& row_of(ValueType type) {
  return *std::ranges::find(types, type, &TypeRow::type);
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
  return !choices.empty() &&
         std::ranges::any_of(allowed, [value](std::string_view one) { return value.equals(one); });
}

bool is_choice_map(std::string_view choices, json::Value value) {
  for (const json::Member member : value.members()) {
    if (!is_choice(choices, member.value)) {
      return false;
    }
  }
  return value.is_object();
}

bool is_not_negative(json::Value value) {
  return value.as_double().value_or(-1) >= 0;
}

template <class Target, class Reader>
void read_members(const RawObject& object, KeyScope scope, Reader Key::* reader, Target& target) {
  for (const Key& key : keys_of(scope)) {
    const json::Value value = key.*reader == nullptr ? json::Value() : object.find(key.name);
    if (value) {
      (key.*reader)(target, value);
    }
  }
}

}  // namespace

bool is_text(json::Value value) {
  return value.is(json::Kind::string) || value.is(json::Kind::number) ||
         value.is(json::Kind::boolean);
}

std::span<const Key> keys_of(KeyScope scope) {
  switch (scope) {
    case root:
      return root_keys;
    case server:
      return server_keys();
    case settings:
      return settings_keys();
  }
  return {};
}

const Key* find_key(KeyScope scope, std::string_view name) {
  const std::span<const Key> keys = keys_of(scope);
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? nullptr : &*found;
}

std::optional<std::string_view> near_key(KeyScope scope, std::string_view name) {
  constexpr std::size_t name_length_max = 64;  // edit_distance is quadratic
  std::optional<std::string_view> nearest;
  std::size_t best = name_length_max;
  if (name.size() > name_length_max) {
    return nearest;
  }
  for (const Key& key : keys_of(scope)) {
    // Two letters of a short word make another word: "dev" is a key of its own, not a misspelt
    // "env".
    const std::size_t distance_max = key.name.size() < 6 ? 1 : 2;
    const std::size_t distance = text::edit_distance(name, key.name);
    if (distance < best && distance <= distance_max) {
      best = distance;
      nearest = key.name;
    }
  }
  return nearest;
}

void read_keys(const RawObject& entry, Server& server) {
  read_members(entry, KeyScope::server, &Key::read_server, server);
}

void read_keys(const RawObject& entry, Settings& settings) {
  read_members(entry, KeyScope::settings, &Key::read_settings, settings);
}

std::string_view type_name(ValueType type) {
  return row_of(type).name;
}

std::string expected(const Key& key) {
  const std::string_view wanted = row_of(key.type).expected;
  return std::string(wanted) +
         (wanted.ends_with("one of ") ? text::replace_all(key.choices, "|", ", ") : "");
}

bool accepts(const Key& key, json::Value value) {
  switch (key.type) {
    case text:
      return value.is_string();
    case flag:
      return value.is(json::Kind::boolean);
    case minutes:
      return value.as_double().has_value();
    case seconds:
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
    case choice_map:
      return is_choice_map(key.choices, value);
    case selection:
      return value.is(json::Kind::boolean) || is_text_list(value) || is_choice(key.choices, value);
    case flag_or_object:
      return value.is(json::Kind::boolean) || value.is_object();
    case word_lists:
      return is_word_lists(value);
    case any:
      return true;
  }
  return false;
}

std::string_view rule_text(ProjectMay may) {
  return std::ranges::find(rules, may, &std::pair<ProjectMay, std::string_view>::first)->second;
}

}  // namespace pi_mcp::config
