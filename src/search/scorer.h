// Scores the documents of an index for the concepts of a query: BM25F over the fields, more where
// the query explains the tool's name, a little for its server (docs/search.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/concepts.h"
#include "search/term_index.h"
#include "search/tuning.h"

namespace pi_mcp::search {

// What decided where a hit stands.
enum class Placed : std::uint8_t {
  by_score,
  named,  // the query is its name; it has the best score
};

struct Scored {
  std::uint32_t document = 0;
  float score = 0;
  float covered = 0;  // share of the query that the document explains, by rarity; 0 to 1
  Placed placed = Placed::by_score;
};

// What one document's score is made of.
struct Contribution {
  std::size_t concept_index = 0;
  TermId term = 0;  // the variant that counted
  Relation relation = Relation::same;
  float points = 0;
};
struct Breakdown {
  std::vector<Contribution> contributions;
  float text = 0;        // their sum
  float name_share = 0;  // of the name, explained by the query
  float covered = 0;     // of the query, explained by the document
  float covering = 0;    // and by its name
  float multiplier = 1;  // for all of these
  float server = 0;
  float total = 0;  // text * multiplier + server
  // As a hit: its score there, which its place decides where `placed` says so.
  float shown = 0;
  Placed placed = Placed::by_score;
};

class Scorer {
 public:
  // All of them outlive the scorer.
  Scorer(const TermIndex& index, const Tuning& tuning, const std::vector<Concept>& concepts);

  // The best `count` documents of `group` (nullopt: of all), best first; `before` orders equal
  // ones.
  using Before = std::function<bool(std::uint32_t, std::uint32_t)>;
  [[nodiscard]] std::vector<Scored> best(std::size_t count,
                                         std::optional<std::uint32_t> group,
                                         const Before& before) const;
  [[nodiscard]] Breakdown explain(std::uint32_t document) const;
  // How surely a document is meant, 0 to 1: mostly the share of the query's words that it has, rare
  // ones counting more, and others than were said by how likely they are meant. `unknown`: the
  // weights of words that nothing has.
  [[nodiscard]] float confidence(std::uint32_t document, float unknown) const;

 private:
  void score_all();
  void score_concept(std::size_t number, std::vector<float>& best);
  void score_names();
  void score_groups();
  void add_groups();
  void add_documents_of(std::uint32_t group);
  [[nodiscard]] float multiplier(std::uint32_t document) const;
  [[nodiscard]] float total(std::uint32_t document, float text, float multiplier) const;
  // What each concept that the document has scores there.
  [[nodiscard]] std::vector<Contribution> contributions(std::uint32_t document) const;
  // Of the name, explained by the query.
  [[nodiscard]] float name_share(std::uint32_t document) const;

  const TermIndex& index_;
  const Tuning& tuning_;
  const std::vector<Concept>& concepts_;
  float asked_ = 0;                      // rarity of the whole query
  std::vector<std::uint32_t> matching_;  // documents that have anything
  // By document; only those of matching_ are set.
  std::vector<float> texts_;
  std::vector<float> names_;     // rarity of the words of the name that were asked for
  std::vector<float> covered_;   // rarity of the concepts that it has
  std::vector<float> covering_;  // of the concepts that its name has
  std::vector<float> groups_;    // by group
};

}  // namespace pi_mcp::search
