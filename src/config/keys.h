// The table of every configuration key we know, and what a value of it must look like.
// docs/configuration.md lists the same keys; a test compares the two. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  selection,  // true, false or a list of names
  object,
  flag_or_object,
  word_lists,  // object of string arrays
  any,         // kept for programs that share the file; not read by this version
};

class Key {
 public:
  // `choices` are separated by |.
  constexpr Key(KeyScope scope,
                std::string_view name,
                ValueType type,
                std::string_view choices = "")
      : scope(scope), name(name), type(type), choices(choices) {}

  KeyScope scope;
  std::string_view name;
  ValueType type;
  std::string_view choices;
};

std::span<const Key> known_keys();
// nullptr when unknown.
const Key* find_key(KeyScope scope, std::string_view name);
// The known key that `name` is probably a misspelling of.
std::optional<std::string_view> near_key(KeyScope scope, std::string_view name);

// "a string", "true or false", "one of server, short, none, mcp", ...
std::string expected(const Key& key);
[[nodiscard]] bool accepts(const Key& key, json::Value value);

// "a string", "an array", "null": what stands there instead. Never the value: it may be a secret.
std::string found_text(json::Value value);

// What messages about a key name: the file, and the server when it is about one.
struct Place {
  KeyScope scope;
  std::string path;
  std::string server;
};

// Warns about every value of the wrong type and removes it, so that a lower source's value counts;
// the fields that decide what is started (command, args, url, socket) stay, for Server::problem.
void check_types(RawObject& fields, const Place& place, std::vector<Warning>& warnings);
// Warns about unknown keys that look like a misspelling; they stay, as all unknown keys do.
void check_spelling(const RawObject& fields, const Place& place, std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
