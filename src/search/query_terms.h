// A query in the terms of an index: each word that was asked for, expanded to every term that may
// mean it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/query.h"
#include "search/term_index.h"
#include "search/tuning.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {

// How a term of the index means what was asked for. A translation is one into English.
enum class Relation : std::uint8_t { same, synonym, translation, typo, beginning };

struct Variant {
  TermId term = 0;
  float weight = 1;
  Relation relation = Relation::same;
};

struct QueryTerm {
  std::string word;               // as asked; for people
  float weight = 1;               // beside other query terms
  std::uint32_t parts = 0;        // a bit for each that it stands in
  bool in_text = true;            // false when it was concluded, not said
  bool is_value = false;          // what the tool is to be used on
  std::vector<Variant> variants;  // never empty
};

// Looking for mistyped words reads the whole vocabulary, so a list of nonsense gets no more.
constexpr std::size_t typo_searches_max = 8;

struct QueryTerms {
  std::vector<QueryTerm> known;
  // The weights of the words about the tool that nothing has, nor anything like them, together.
  float unknown = 0;
};

QueryTerms query_terms(const Query& query,
                       const Vocabulary& vocabulary,
                       const TermIndex& index,
                       const Tuning& tuning);

}  // namespace pi_mcp::search
