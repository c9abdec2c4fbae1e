// What somebody asks for, taken apart: words, each about the tool itself or a value that it is to
// be used on, in sentences and clauses that may each want a tool of their own, and what literals
// (dates, addresses, file names) say about its parameters. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "search/terms.h"

namespace pi_mcp::search {

// Only this much of a query counts.
constexpr std::size_t query_bytes_max = 4096;
constexpr std::size_t query_words_max = 1024;
// What comes behind so many sentences and clauses belongs to the last one.
constexpr std::size_t query_parts_max = 32;

struct QueryWord {
  std::string word;
  bool is_value = false;  // a number, in quotation marks, or part of a literal
  // A stop word that tells opposites apart ("turn on", "turn off"): names alone answer to it.
  bool is_particle = false;
  std::size_t part = 0;  // the number of the sentence or clause that it stands in
};

struct Query {
  std::size_t said = 0;  // how many words, stop words too
  // In order; of stop words only particles, unless there is nothing else.
  std::vector<QueryWord> words;
  // Each the words that the literals of one kind stand for, the best one first, with spaces.
  std::vector<std::string_view> literals;
};

// A word like "GitHub" that is known as a whole is not divided.
using IsKnown = std::function<bool(std::string_view)>;
Query read_query(std::string_view text, const IsKnown& is_known);

}  // namespace pi_mcp::search
