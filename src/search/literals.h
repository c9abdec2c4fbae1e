// Literals inside a query: what a url, a file name, a date or an amount looks like, and which words
// a tool uses that takes one. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "search/query.h"

namespace pi_mcp::search {

struct Literal {
  WordKind kind = WordKind::literal;
  std::span<const std::string_view> words;  // empty: nothing follows from it
};

// What a piece between spaces is, without punctuation around it; nullopt for an ordinary word.
std::optional<Literal> literal_of(std::string_view piece);

// What a file of this name is by its ending, such as "table.csv"; empty for unknown endings.
std::span<const std::string_view> words_of_file(std::string_view name);

// What a place stands for.
std::span<const std::string_view> words_of_place();

}  // namespace pi_mcp::search
