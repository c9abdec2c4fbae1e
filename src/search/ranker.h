// Ranks documents for a query. Knows nothing of MCP: documents are named fields of text.
// Pure: no I/O, no clock, deterministic.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/document.h"
#include "search/text_index.h"
#include "search/words.h"

namespace pi_mcp::search {

struct Hit {
  std::size_t document = 0;  // index into the documents given to the ranker
  double score = 0;
};

struct Ranking {
  std::vector<Hit> hits;  // best first; equal scores by name
  // The first so many satisfy the query as a whole; the others are the nearest of the rest.
  std::size_t whole = 0;
  // No document satisfied the query as a whole, so these are the nearest ones.
  bool widened = false;
};

// A query that fewer documents satisfy as a whole is filled up to this many with the nearest
// others: as many suggestions as the reference adapter makes.
constexpr std::size_t hits_enough = 5;
// Of a query, only this much counts.
constexpr std::size_t query_bytes_max = 4096;
constexpr std::size_t query_tokens_max = 64;
// Longer patterns are refused; in UTF-16 units, as the reference adapter counts.
constexpr std::size_t pattern_length_max = 256;
// For the automata that RE2 builds of one pattern.
constexpr std::size_t pattern_memory_max = std::size_t{8} << 20U;

// Prepares its documents once; then every question is answered from the prepared form. `group`,
// where given, restricts an answer to the documents of that group.
class Ranker {
 public:
  explicit Ranker(std::vector<Document> documents)
      : documents_(std::move(documents)), index_(documents_) {}

  [[nodiscard]] const std::vector<Document>& documents() const { return documents_; }
  // Every document that matches anything can be a hit; documents that match the query as a whole
  // come first, and alone when they are enough. Words that nothing has count for similar ones when
  // no document satisfies the query as a whole. No hits for a query without letters or digits.
  [[nodiscard]] Ranking rank(std::string_view query, std::string_view group = {}) const;
  // Documents whose name, description or a keyword matches; in document order, without a score.
  // Case-insensitive, RE2 syntax, linear time. invalid_argument: the pattern is too long or does
  // not compile, with RE2's reason.
  [[nodiscard]] Result<std::vector<Hit>> match(std::string_view pattern,
                                               std::string_view group = {}) const;
  // At most `count` shown names a mistyped name may have meant, best first: names that differ by a
  // letter or two, then those that rank() finds for it without the group's name in front.
  [[nodiscard]] std::vector<std::string> suggest(std::string_view wrong_name,
                                                 std::size_t count,
                                                 std::string_view group = {}) const;

 private:
  std::vector<Document> documents_;
  TextIndex index_;
};

}  // namespace pi_mcp::search
