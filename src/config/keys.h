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
  milliseconds,
  text_list,
  text_map,  // numbers and booleans are taken as their text
  choice,    // one of Key::choices
  choice_or_false,
  selection,  // true, false, one of Key::choices or a list of names
  object,
  flag_or_object,
  word_lists,  // object of string arrays
  any,
};

// What a project's file may do with a key, once the user trusts that file. `set` is for the servers
// that the project itself brings; the words between tighten what the user has said, of the user's
// own servers too; `nothing` is for keys that count in the user's files only.
enum class ProjectMay : std::uint8_t { set, set_true, set_false, add, narrow, lower, nothing };

struct Key {
  KeyScope scope;
  std::string_view name;
  ValueType type;
  ProjectMay project_may = ProjectMay::set;
  // NOLINTBEGIN(readability-redundant-member-init): the table leaves out what a key does not have.
  std::string_view choices = {};  // separated by |
  // As they stand in the documentation, Markdown.
  std::string_view fallback = {};
  std::string_view example = {};
  std::string_view meaning = {};
  // NOLINTEND(readability-redundant-member-init)
  // Takes a value of the right type over; null where the key is not a member of that struct.
  void (*read_server)(Server& server, json::Value value) = nullptr;
  void (*read_settings)(Settings& settings, json::Value value) = nullptr;
  bool read_elsewhere = false;  // by the loader: it decides what is read at all
  // Says only how tools are shown, asked for and found, or how long a server is kept: a connection
  // outlives a change of it.
  bool is_use = false;

  // False: the value is kept, for other programs that share the file, and does nothing here.
  [[nodiscard]] constexpr bool is_read() const {
    return read_server != nullptr || read_settings != nullptr || read_elsewhere;
  }
};

// Of one scope, in the order of the documentation.
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
// What a project may do with a key, for people: "add to it", "nothing", ...
std::string_view rule_text(ProjectMay may);

}  // namespace pi_mcp::config
