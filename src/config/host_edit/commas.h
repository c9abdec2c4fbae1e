// Entries between brackets, divided by commas: JSON objects, inline tables of TOML, flow maps and
// lists of YAML. All three differ in comments and strings only. The text is one that its parser has
// accepted; on others the result is wrong, but nothing worse. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/host_edit/format.h"

namespace pi_mcp::config::host_edit {

enum class Grammar : std::uint8_t { jsonc, toml, yaml };

struct Item {
  std::size_t begin = 0;   // of its name
  std::size_t end = 0;     // behind its value
  std::size_t behind = 0;  // behind its comma; `end` when it has none
  [[nodiscard]] bool has_comma() const { return behind != end; }
};

struct Bracketed {
  std::size_t begin = 0;  // behind the opening bracket
  std::size_t end = 0;    // before the closing one
  std::vector<Item> items;
};

// Behind white space of the given kind and comments.
std::size_t skip_trivia(std::string_view text,
                        std::size_t at,
                        Grammar grammar,
                        std::string_view space);

// Behind a string, word, number, bracket or mark.
std::size_t behind_token(std::string_view text, std::size_t at, Grammar grammar);

// What is between the bracket at `open` and its counterpart; nullopt when that is missing.
std::optional<Bracketed> read_brackets(std::string_view text, std::size_t open, Grammar grammar);

// `names` are those of the items, in their order. nullopt when they cannot be.
std::optional<Cut> cut_item(std::string_view text,
                            const Bracketed& brackets,
                            const std::vector<std::string>& names,
                            std::size_t index,
                            Grammar grammar);

// A piece that was cut, or the text of an item, as item `index`.
std::optional<std::string> paste_item(std::string text,
                                      const Bracketed& brackets,
                                      std::size_t index,
                                      std::string_view piece,
                                      Grammar grammar);

// Where among `names` an entry belongs that stood between these two.
std::size_t place_among(const std::vector<std::string>& names, const Cut& cut);

}  // namespace pi_mcp::config::host_edit
