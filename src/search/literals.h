// Literals inside a query: what a url, a file name, a date or an amount looks like, and which words
// a tool uses that takes one. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace pi_mcp::search {

// Lists of words have spaces between them, and are empty where nothing follows.
struct Literal {
  std::string_view words;
  std::string_view file_words;  // what a file with this ending is
};

// What a piece between spaces is, without punctuation around it; nullopt for an ordinary word.
std::optional<Literal> literal_of(std::string_view piece);

}  // namespace pi_mcp::search
