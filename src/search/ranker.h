// Ranks documents for a query. Knows nothing of MCP: documents are named fields of text, in groups.
// Pure: no I/O, no clock, deterministic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/document.h"
#include "search/query_terms.h"
#include "search/scorer.h"
#include "search/spelled.h"
#include "search/term_index.h"
#include "search/tuning.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {

struct Ranking {
  std::vector<Hit> hits;  // best first; equal scores by name; at most hits_max
  // The first so many are worth showing: they score a fair part of what the best one does.
  std::size_t close = 0;
  // All hits are close, and documents beyond the hits would be too: `close` is not all there is.
  bool more_close = false;
  // How surely the best hit is meant, 0 to 1: how much of the query it explains, words that nothing
  // has included, and how much it scores.
  double confidence = 0;
  [[nodiscard]] bool low() const;  // the best hit is likely not what was asked for
};

constexpr std::size_t hits_max = 512;
// So many hits are worth showing whatever they score.
constexpr std::size_t close_min = 10;
// Others must score this part of the best one.
constexpr double close_share = 0.4;
// Below, the best hit is likely not meant (docs/search.md).
constexpr double confidence_min = 0.5;
// Longer patterns are refused; in UTF-16 units, as the reference adapter counts.
constexpr std::size_t pattern_length_max = 256;
// For the automata that RE2 builds of one pattern.
constexpr std::size_t pattern_memory_max = std::size_t{8} << 20U;

inline bool Ranking::low() const {
  return confidence < confidence_min;
}

// One group of documents, read only when the ranker does not have it in this revision.
struct GroupSource {
  std::string name;
  std::uint64_t revision = 0;
  std::size_t documents = 0;  // how many
  // The document of this number. Its parameters' texts need to stay until the next call only, the
  // others as long as the ranker has the group.
  std::function<Document(std::size_t number)> read;
  std::string about;  // what the group says of itself; may be empty
};

class Ranker {
 public:
  explicit Ranker(const Tuning& tuning = {}) : tuning_(tuning) {}
  // The documents of each group together, groups in the order of their first document. Their texts
  // outlive the ranker, but for those of parameters.
  explicit Ranker(std::vector<Document> documents, const Tuning& tuning = {});

  // From now on these groups, in this order, and no others. Reads only new ones.
  void assign(std::vector<GroupSource> sources);

  // Documents are numbered through the groups in their order.
  [[nodiscard]] std::size_t size() const { return index_.documents(); }
  // Without its parameters, which only the index needs.
  [[nodiscard]] const Document& document(std::size_t number) const;

  // Every document that has a word of the query, a synonym or, for words that nothing has, a
  // similar one. `group`, where given, restricts the answer. No hits for a query without letters or
  // digits.
  [[nodiscard]] Ranking rank(std::string_view query, std::string_view group = {}) const;
  // Why rank() scored a document as it did and placed it there, a line each, for people. The parts
  // make up the score of the hit.
  [[nodiscard]] std::vector<std::string> explain(std::string_view query,
                                                 std::size_t document,
                                                 std::string_view group = {}) const;
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
  struct Group {
    std::string name;
    std::uint64_t revision = 0;
    std::vector<Document> documents;
    std::vector<NameSums::Sums> names;  // by document
    GroupText text;
  };
  [[nodiscard]] std::unique_ptr<Group> take_or_read(GroupSource& source);
  [[nodiscard]] QueryTerms plan(std::string_view query) const;
  // Moves what the query names to the front, most exactly named first, or puts it there.
  void put_named_first(std::vector<Hit>& hits,
                       std::string_view query,
                       std::optional<std::uint32_t> group) const;
  // Whether a term of the query is in this field of the document.
  [[nodiscard]] bool says(std::size_t document,
                          Field field,
                          const std::vector<QueryTerm>& asked) const;
  [[nodiscard]] std::size_t group_number(std::string_view name) const;

  Tuning tuning_;
  Vocabulary vocabulary_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<const Document*> documents_;
  NameSums names_;
  TermIndex index_;
};

}  // namespace pi_mcp::search
