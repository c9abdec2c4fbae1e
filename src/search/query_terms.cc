#include "search/query_terms.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "search/similar_words.h"
#include "search/stop_words.h"
#include "search/synonyms.h"

namespace pi_mcp::search {
namespace {

// What a particle counts beside the words about the tool.
constexpr float particle = 0.3F;
// The other words that a literal stands for.
constexpr float literal_rest = 0.7F;
// Words with which people wrap a request, in a query of so many words, stop words too: a short one
// may mean them.
constexpr float polite = 0.4F;
constexpr std::size_t sentence_words_min = 7;

class Expansion {
 public:
  Expansion(const Query& query,
            const Vocabulary& vocabulary,
            const TermIndex& index,
            const Tuning& tuning)
      : query_(query), vocabulary_(vocabulary), index_(index), tuning_(tuning) {}

  QueryTerms expand() {
    add_words();
    add_literals();
    return {.known = std::move(terms_), .unknown = unknown_};
  }

 private:
  [[nodiscard]] std::optional<TermId> known(std::string_view word) const {
    const std::optional<TermId> term = vocabulary_.find(word);
    return term && !index_.postings(*term).empty() ? term : std::nullopt;
  }

  [[nodiscard]] float weight_of(const QueryWord& word) const {
    const bool is_polite = query_.said >= sentence_words_min && is_polite_word(word.word);
    return word.is_value ? static_cast<float>(tuning_.value) : is_polite ? polite : 1;
  }

  // A word that comes again, in whatever form, is one term.
  void add_words() {
    for (const QueryWord& word : query_.words) {
      said_in_[std::string(stemmer_.stem(word.word))] |= 1U << word.part;
    }
    for (const QueryWord& word : query_.words) {
      const std::uint32_t in = std::exchange(said_in_.find(stemmer_.stem(word.word))->second, 0);
      if (in != 0 && word.is_particle) {
        add_particle(word.word, in);
      } else if (in != 0) {
        add_word({.word = word.word,
                  .weight = weight_of(word),
                  .parts = in,
                  .is_value = word.is_value,
                  .variants = {}});
      }
    }
  }

  // Only names have it as a term.
  void add_particle(const std::string& word, std::uint32_t parts) {
    QueryTerm meant{
        .word = word, .weight = particle, .parts = parts, .in_text = false, .variants = {}};
    add_known(meant, word, 1, Relation::same);
    if (!meant.variants.empty()) {
      terms_.push_back(std::move(meant));
    }
  }

  void add_word(QueryTerm meant) {
    std::optional<TermId> said = vocabulary_.find(meant.word);
    said = said && index_.has(*said) ? said : std::nullopt;
    if (said) {
      add_variant(meant, {.term = *said, .weight = 1});
    }
    // A value is what the tool is to be used on, and its words may be any.
    if (!meant.is_value) {
      add_synonyms(meant, said ? index_.idf(*said) : index_.idf_of_unknown());
    }
    // A word of the thesaurus is neither mistyped nor unfinished.
    if (!said && synonyms_of(meant.word).empty()) {
      add_similar(meant);
    }
    if (meant.variants.empty()) {
      unknown_ += meant.is_value ? 0 : meant.weight;
    } else {
      terms_.push_back(std::move(meant));
    }
  }

  // A synonym that is rarer than the word (idf) counts as the word would: few tools say "generate",
  // but who says "make" asked for nothing rare. One that the query says as well counts as that.
  void add_synonyms(QueryTerm& meant, float idf) const {
    for (const Synonym& synonym : synonyms_of(meant.word)) {
      if (said_in_.contains(stemmer_.stem(synonym.word))) {
        continue;
      }
      const double weight = synonym.translated ? tuning_.translation : tuning_.synonym;
      const std::optional<TermId> term = known(synonym.word);
      const float rarer = term && !synonym.translated ? index_.idf(*term) / idf : 1;
      add_known(meant,
                synonym.word,
                static_cast<float>(weight) * synonym.likeness / std::max(1.0F, rarer),
                synonym.into_english ? Relation::translation : Relation::synonym);
    }
  }

  void add_known(QueryTerm& meant, std::string_view word, float weight, Relation relation) const {
    if (const std::optional<TermId> term = known(word); term && weight > 0) {
      add_variant(meant, {.term = *term, .weight = weight, .relation = relation});
    }
  }

  static void add_variant(QueryTerm& meant, const Variant& variant) {
    const auto known = std::ranges::find(meant.variants, variant.term, &Variant::term);
    if (known == meant.variants.end()) {
      meant.variants.push_back(variant);
    } else {
      known->weight = std::max(known->weight, variant.weight);
    }
  }

  // What an unknown word may be.
  void add_similar(QueryTerm& meant) {
    if (typo_searches_ == typo_searches_max) {
      return;
    }
    ++typo_searches_;
    const SimilarWords similar = similar_words(vocabulary_, meant.word);
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
    for (const std::string_view list : query_.literals) {
      const std::vector<std::string_view> words = text::words(list);
      QueryTerm concluded{.word = std::string(words.front()),
                          .weight = static_cast<float>(tuning_.literal),
                          .parts = 1,
                          .in_text = false,
                          .variants = {}};
      for (const std::string_view word : words) {
        add_known(concluded, word, word == words.front() ? 1 : literal_rest, Relation::synonym);
      }
      if (!concluded.variants.empty() && tuning_.literal > 0) {
        terms_.push_back(std::move(concluded));
      }
    }
  }

  const Query& query_;
  const Vocabulary& vocabulary_;
  const TermIndex& index_;
  const Tuning& tuning_;
  Stemmer stemmer_;
  std::map<std::string, std::uint32_t, std::less<>> said_in_;  // bits of parts, by stem
  std::vector<QueryTerm> terms_;
  float unknown_ = 0;
  std::size_t typo_searches_ = 0;
};

}  // namespace

QueryTerms query_terms(const Query& query,
                       const Vocabulary& vocabulary,
                       const TermIndex& index,
                       const Tuning& tuning) {
  return Expansion(query, vocabulary, index, tuning).expand();
}

}  // namespace pi_mcp::search
