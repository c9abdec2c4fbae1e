// What somebody asks for, taken apart: words with how likely they are about the tool itself rather
// than what it is to be used on, and literals (dates, addresses, file names), which say what kind
// of parameter the tool has. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/terms.h"

namespace pi_mcp::search {

// Of a query, only this much counts.
constexpr std::size_t query_bytes_max = 4096;
constexpr std::size_t query_words_max = 64;

enum class WordKind : std::uint8_t {
  plain,
  quoted,   // stands in quotation marks
  literal,  // part of a url, an email address, a file name or a path
  number,
  place,  // "San Francisco, CA"
};

struct QueryWord {
  std::string word;
  WordKind kind = WordKind::plain;
  bool is_value = false;  // what the tool is to be used on, whatever the kind says
};

struct Query {
  std::vector<QueryWord> words;  // in order; without stop words unless there is nothing else
  // Each the words that the literals of one kind stand for, the best one first.
  std::vector<std::span<const std::string_view>> literals;
};

Query read_query(std::string_view text, Identifiers identifiers);

}  // namespace pi_mcp::search
