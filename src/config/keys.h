// Every configuration key, declared once: its type, default, meaning, who may set it, and what
// reads it. Parsing, checking, the rule for project files, `pi-mcp config --keys` and the tables of
// docs/configuration.md follow from these declarations. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/raw.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

enum class KeyScope : std::uint8_t { root, server, settings };

enum class ValueType : std::uint8_t {
  text,
  flag,
  minutes,
  seconds,
  milliseconds,
  text_list,
  text_map,  // numbers and booleans are taken as their text
  choice,    // one of Key::choices
  choice_or_false,
  choice_map,  // object whose values are one of Key::choices
  selection,   // true, false, one of Key::choices or a list of names
  object,
  flag_or_object,
  word_lists,  // object of string arrays
  any,
};

// What a project's file may do with a key, once the user trusts that file. `set` is for the servers
// that the project itself brings; the words between tighten what the user has said, of the user's
// own servers too (`hide`: "hidden", as the value or in the object; `part`: with fewer sessions);
// `nothing` is for keys that
// count in the user's files only.
enum class ProjectMay : std::uint8_t {
  set,
  set_true,
  set_false,
  add,
  narrow,
  lower,
  hide,
  part,
  nothing
};

struct Key {
  using ServerReader = void (*)(Server& server, json::Value value);
  using SettingsReader = void (*)(Settings& settings, json::Value value);

  // Without a reader: the value is kept, for other programs that share the file, and does nothing.
  constexpr Key(KeyScope where, std::string_view key, ValueType values)
      : scope(where),
        name(key),
        type(values),
        project_may(where == KeyScope::settings ? ProjectMay::nothing : ProjectMay::set) {}
  // `read` takes a value of the right type over.
  constexpr Key(std::string_view key, ValueType values, ServerReader read)
      : Key(KeyScope::server, key, values) {
    read_server = read;
  }
  constexpr Key(std::string_view key, ValueType values, SettingsReader read)
      : Key(KeyScope::settings, key, values) {
    read_settings = read;
  }

  // The same key with something more about it. Default, example and meaning, as they stand in the
  // documentation, Markdown, with " | " between.
  [[nodiscard]] constexpr Key says(std::string_view docs) const {
    constexpr std::string_view between = " | ";
    const std::size_t first = docs.find(between);
    const std::size_t second = docs.find(between, first + 1);
    Key key = *this;
    key.fallback = docs.substr(0, first);
    key.example = docs.substr(first + between.size(), second - first - between.size());
    key.meaning = docs.substr(second + between.size());
    return key;
  }
  [[nodiscard]] constexpr Key one_of(std::string_view separated_by_bars) const {
    Key key = *this;
    key.choices = separated_by_bars;
    return key;
  }
  [[nodiscard]] constexpr Key project(ProjectMay may) const {
    Key key = *this;
    key.project_may = may;
    return key;
  }
  // Read by the loader: it decides what is read at all.
  [[nodiscard]] constexpr Key elsewhere() const {
    Key key = *this;
    key.read_elsewhere = true;
    return key;
  }
  // Not read, for this reason, which whoever sets it is told. `unless` is the value, JSON, that
  // asks for nothing.
  [[nodiscard]] constexpr Key refuses(std::string_view unless, std::string_view reason) const {
    Key key = *this;
    key.harmless = unless;
    key.refusal = reason;
    return key;
  }
  // Says only how tools are shown, asked for and found, or how long a server is kept: a connection
  // outlives a change of it.
  [[nodiscard]] constexpr Key use() const {
    Key key = *this;
    key.is_use = true;
    return key;
  }
  [[nodiscard]] constexpr bool is_read() const {
    return read_server != nullptr || read_settings != nullptr || read_elsewhere;
  }

  KeyScope scope;
  std::string_view name;
  ValueType type;
  ProjectMay project_may;
  std::string_view choices;
  std::string_view fallback;
  std::string_view example;
  std::string_view meaning;
  std::string_view harmless;
  std::string_view refusal;
  ServerReader read_server = nullptr;
  SettingsReader read_settings = nullptr;
  bool read_elsewhere = false;
  bool is_use = false;
};

// Where keys are declared, a file for each of these; others use keys_of().
std::span<const Key> server_keys();
std::span<const Key> settings_keys();
// The keys of one scope, in the order of the documentation.
std::span<const Key> keys_of(KeyScope scope);
// nullptr when unknown.
const Key* find_key(KeyScope scope, std::string_view name);
// The known key that `name` is probably a misspelling of.
std::optional<std::string_view> near_key(KeyScope scope, std::string_view name);

// Reads the members that are known; what has the wrong type, or is unknown, is passed over.
void read_keys(const RawObject& entry, Server& server);
void read_keys(const RawObject& entry, Settings& settings);

// "string", "boolean", "string list", ...: the type's name in the documentation.
std::string_view type_name(ValueType type);
// "a string", "true or false", "one of server, short, none, mcp", ...
std::string expected(const Key& key);
[[nodiscard]] bool accepts(const Key& key, json::Value value);
// What counts as a string in a list or a map of them.
[[nodiscard]] bool is_text(json::Value value);
// What a project may do with a key, for people: "add to it", "nothing", ...
std::string_view rule_text(ProjectMay may);

}  // namespace pi_mcp::config
