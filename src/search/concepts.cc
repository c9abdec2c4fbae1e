#include "search/concepts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.h"
#include "search/similar_words.h"
#include "search/synonyms.h"

namespace pi_mcp::search {
namespace {

// The other words that a literal stands for.
constexpr float literal_rest = 0.7F;

class Planner {
 public:
  Planner(const Query& query,
          const Vocabulary& vocabulary,
          const TermIndex& index,
          const Tuning& tuning)
      : query_(query), vocabulary_(vocabulary), index_(index), tuning_(tuning) {}

  Concepts plan() {
    add_words();
    add_literals();
    return {.known = std::move(concepts_), .unknown = unknown_};
  }

 private:
  [[nodiscard]] std::optional<TermId> known(std::string_view word) const {
    const std::optional<TermId> term = vocabulary_.find(word);
    return term && !index_.postings(*term).empty() ? term : std::nullopt;
  }

  // A word that no document has, but a group about itself.
  [[nodiscard]] std::optional<TermId> known_of_groups(std::string_view word) const {
    const std::optional<TermId> term = vocabulary_.find(word);
    return term && !index_.group_postings(*term).empty() ? term : std::nullopt;
  }

  // A word that comes again, in whatever form, is one concept.
  void add_words() {
    const Stemmer stemmer;
    std::set<std::string, std::less<>> met;  // stems
    for (const QueryWord& word : query_.words) {
      if (met.emplace(stemmer.stem(word.word)).second) {
        add_word({.word = word.word,
                  .weight = word.is_value ? static_cast<float>(tuning_.value) : 1,
                  .is_value = word.is_value,
                  .variants = {}});
      }
    }
  }

  void add_word(Concept meant) {
    const std::optional<TermId> term = known(meant.word);
    const std::optional<TermId> said = term ? term : known_of_groups(meant.word);
    if (said) {
      add_variant(meant, {.term = *said, .weight = 1});
    }
    add_synonyms(meant);
    if (!said) {
      add_similar(meant);
    }
    if (meant.variants.empty()) {
      unknown_ += meant.is_value ? 0 : meant.weight;
    } else {
      concepts_.push_back(std::move(meant));
    }
  }

  void add_synonyms(Concept& meant) const {
    for (const Synonym& synonym : synonyms_of(meant.word)) {
      const double weight = synonym.translated ? tuning_.translation : tuning_.synonym;
      const std::optional<TermId> other = known(synonym.word);
      if (other && weight > 0) {
        add_variant(meant,
                    {.term = *other,
                     .weight = static_cast<float>(weight) * synonym.likeness,
                     .relation = synonym.translated ? Relation::translation : Relation::synonym});
      }
    }
  }

  static void add_variant(Concept& meant, const Variant& variant) {
    for (Variant& other : meant.variants) {
      if (other.term == variant.term) {
        other.weight = std::max(other.weight, variant.weight);
        return;
      }
    }
    meant.variants.push_back(variant);
  }

  // What an unknown word may be.
  void add_similar(Concept& meant) {
    if (typo_searches_ == typo_searches_max) {
      return;
    }
    ++typo_searches_;
    const Typos typos = synonyms_of(meant.word).empty() ? Typos::likely : Typos::none;
    const SimilarWords similar = similar_words(vocabulary_, meant.word, typos);
    const double weight = similar.close ? tuning_.typo : tuning_.beginning;
    for (const TermId term : similar.terms) {
      if (weight > 0 && !index_.postings(term).empty()) {
        add_variant(meant,
                    {.term = term,
                     .weight = static_cast<float>(weight),
                     .relation = similar.close ? Relation::typo : Relation::beginning});
      }
    }
  }

  void add_literals() {
    if (tuning_.literal <= 0) {
      return;
    }
    for (const std::string_view list : query_.literals) {
      const std::vector<std::string_view> words = text::words(list);
      Concept concluded{.word = std::string(words.front()),
                        .weight = static_cast<float>(tuning_.literal),
                        .in_text = false,
                        .variants = {}};
      for (const std::string_view word : words) {
        if (const std::optional<TermId> term = known(word)) {
          add_variant(concluded,
                      {.term = *term,
                       .weight = word == words.front() ? 1 : literal_rest,
                       .relation = Relation::synonym});
        }
      }
      if (!concluded.variants.empty()) {
        concepts_.push_back(std::move(concluded));
      }
    }
  }

  const Query& query_;
  const Vocabulary& vocabulary_;
  const TermIndex& index_;
  const Tuning& tuning_;
  std::vector<Concept> concepts_;
  float unknown_ = 0;
  std::size_t typo_searches_ = 0;
};

}  // namespace

float Concept::rarity(const TermIndex& index) const {
  float best = 0;
  for (const Variant& variant : variants) {
    best = std::max(best, index.rarity(variant.term) * variant.weight);
  }
  return best;
}

Concepts concepts_of(const Query& query,
                     const Vocabulary& vocabulary,
                     const TermIndex& index,
                     const Tuning& tuning) {
  return Planner(query, vocabulary, index, tuning).plan();
}

}  // namespace pi_mcp::search
