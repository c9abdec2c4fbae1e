// Scores the documents of an index for the terms of a query: BM25F over the fields, more where the
// query explains the tool's name or has its server's, and a little for its server (docs/search.md).
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/query_terms.h"
#include "search/term_index.h"
#include "search/tuning.h"

namespace pi_mcp::search {

struct Hit {
  std::uint32_t document = 0;  // its number in the index
  float score = 0;             // higher is better; comparable only within one answer
  bool named = false;          // the query is its name; it has the best score
};

// What one document's score is made of.
struct Contribution {
  std::size_t query_term = 0;
  TermId term = 0;  // the variant that counted
  Relation relation = Relation::same;
  float points = 0;
};
struct Breakdown {
  std::vector<Contribution> contributions;
  float text = 0;            // their sum
  float part = 0;            // for the part of the query that it fits best, where there are several
  float name_coverage = 0;   // share of the name that the query explains
  float query_coverage = 0;  // share of the query that the name explains
  float named_server = 0;    // share of its server's name that the query has
  float multiplier = 1;      // for these three
  float server = 0;
  float total = 0;                   // (text + part) * multiplier + server
  std::optional<float> named_score;  // as a hit, when the query is its name
  bool moved = false;                // as a hit, so that each part of the query has some
};

class Scorer {
 public:
  // All of them outlive the scorer.
  Scorer(const TermIndex& index, const Tuning& tuning, const std::vector<QueryTerm>& terms);

  // The best `count` documents of `group` (nullopt: of all), best first; `before` orders equal
  // ones.
  using Before = std::function<bool(std::uint32_t, std::uint32_t)>;
  [[nodiscard]] std::vector<Hit> best(std::size_t count,
                                      std::optional<std::uint32_t> group,
                                      const Before& before) const;
  [[nodiscard]] Breakdown explain(std::uint32_t document) const;
  // Whether the document has every word of the query, or what means it.
  [[nodiscard]] bool has_all(std::uint32_t document) const {
    return contributions(document).size() == terms_.size();
  }
  // How surely a document is meant, 0 to 1: the share of the query's words that its name, server
  // and description have, rare ones counting more and others than were said by how likely they are
  // meant, and its score. `unknown`: the weights of words that nothing has.
  [[nodiscard]] float confidence(std::uint32_t document, float unknown) const;

 private:
  // What a document scores for one part of the query.
  struct PartPoints {
    std::uint32_t part = 0;
    float points = 0;
  };
  struct Sums {
    float text = 0;             // points of all fields
    PartPoints now;             // for the part that is being scored
    PartPoints most;            // for the best one before
    float name_explained = 0;   // idf of the words of its name that the query means
    float query_explained = 0;  // weight of the words of the query that its name has
    bool matches = false;
  };
  // What a word of the query is worth in a document.
  struct Best {
    float points = 0;
    float in_name = 0;  // how likely the name means it
  };
  void score_parts();
  void score_term(const QueryTerm& asked, std::uint32_t part, std::vector<Best>& best);
  void vary(std::vector<Hit>& hits) const;
  [[nodiscard]] PartPoints best_part(std::uint32_t document) const;
  void score_names();
  void score_groups(const QueryTerm& asked);
  void score_named_groups();
  void score_named_groups(TermId said);
  void add_match(std::uint32_t document);
  // It has the term elsewhere than in its parameters.
  [[nodiscard]] bool is_about(std::uint32_t document, TermId term) const;
  // All but the contributions.
  [[nodiscard]] Breakdown score(std::uint32_t document) const;
  // What each query term that the document has scores there.
  [[nodiscard]] std::vector<Contribution> contributions(std::uint32_t document) const;

  const TermIndex& index_;
  const Tuning& tuning_;
  const std::vector<QueryTerm>& terms_;
  float asked_ = 0;                      // the weights of all terms
  std::size_t parts_ = 0;                // of the query that may each want a tool of their own
  std::vector<std::uint32_t> matching_;  // documents that have anything
  std::vector<Sums> sums_;               // by document
  std::vector<float> groups_;            // points by group
  std::vector<float> named_;             // by group: the share of its name that the query has
};

}  // namespace pi_mcp::search
