#include "search/scorer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "search/similar_words.h"
#include "search/words.h"

namespace pi_mcp::search {
namespace {

// What a match is worth, in multiples of the field's weight.
constexpr int phrase_equal = 14;
constexpr int phrase_start = 9;
constexpr int phrase_inside = 6;
constexpr int word_equal = 4;
constexpr int word_stem = 2;
constexpr int word_inside = 1;
constexpr int word_similar = 1;
// Added once a document.
constexpr int bonus_covered = 25;
constexpr int bonus_coverage_max = 10;  // times the share of words found, when not all are
constexpr int bonus_first_word = 8;
constexpr int bonus_equal = 20;
// A shorter word says too little to be looked for inside others or to have its ending ignored.
constexpr std::size_t stem_length_min = 4;
constexpr std::size_t inside_length_min = 2;
// A query of more words than this may miss some.
constexpr std::size_t strict_words_max = 2;
// Looking for similar words reads the whole vocabulary, so a long list of nonsense gets no more.
constexpr std::size_t similar_searches_max = 8;

struct QueryWord {
  std::string_view text;
  int repeats = 1;
};

struct Query {
  std::string text;              // normalised, trimmed
  std::vector<QueryWord> words;  // each once, in order; pieces of `text`
  std::size_t length = 0;        // words with repeats
};

Query parse_query(std::string_view raw) {
  Query query;
  query.text = text::trim(normalise(raw.substr(0, query_bytes_max)));
  std::vector<std::string_view> tokens;
  append_tokens(query.text, tokens);
  tokens.resize(std::min(tokens.size(), query_tokens_max));
  query.length = tokens.size();
  for (const std::string_view token : tokens) {
    const auto known = std::find_if(
        query.words.begin(), query.words.end(), [token](auto& word) { return word.text == token; });
    if (known == query.words.end()) {
      query.words.push_back({.text = token});
    } else {
      ++known->repeats;
    }
  }
  return query;
}

bool is_ascii(std::string_view text) {
  return std::all_of(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

struct MatchedWord {
  TextIndex::Word word;
  int worth;
};

// Words of the documents that a query word stands for, the best matches first.
std::vector<MatchedWord> matched_words(const TextIndex& index, std::string_view text) {
  std::vector<MatchedWord> matched;
  const bool ascii = is_ascii(text);
  if (ascii && text.size() < inside_length_min) {
    if (const auto equal = index.find(text)) {
      matched.push_back({.word = *equal, .worth = word_equal});
    }
    return matched;
  }
  for (const TextIndex::Word word : index.words_with(text)) {
    const std::string_view found = index.word(word);
    const int longer = ascii && found.starts_with(text) ? word_stem : word_inside;
    matched.push_back({.word = word, .worth = found.size() == text.size() ? word_equal : longer});
  }
  for (std::size_t length = stem_length_min; ascii && length < text.size(); ++length) {
    if (const auto stem = index.find(text.substr(0, length))) {
      matched.push_back({.word = *stem, .worth = word_stem});
    }
  }
  std::sort(matched.begin(), matched.end(), [](const MatchedWord& a, const MatchedWord& b) {
    return a.worth > b.worth;
  });
  return matched;
}

struct PhraseMatch {
  int worth = 0;
  bool equal = false;
};

PhraseMatch match_phrase(std::string_view field, std::string_view phrase) {
  if (field == phrase) {
    return {.worth = phrase_equal, .equal = true};
  }
  if (field.starts_with(phrase)) {
    return {.worth = phrase_start};
  }
  return {.worth = field.find(phrase) != std::string_view::npos ? phrase_inside : 0};
}

// The best of several phrases.
PhraseMatch match_keywords(std::string_view field, std::string_view phrase) {
  PhraseMatch best;
  for (const std::string_view keyword : text::split(field, TextIndex::keyword_separator)) {
    const PhraseMatch match = match_phrase(text::trim(keyword), phrase);
    best = match.worth > best.worth ? match : best;
  }
  return best;
}

class Scorer {
 public:
  Scorer(const std::vector<Document>& documents,
         const TextIndex& index,
         const Query& query,
         Scope scope)
      : documents_(documents),
        index_(index),
        query_(query),
        scope_(scope),
        states_(documents.size()),
        last_words_(documents.size() * field_count),
        words_found_(documents.size() * field_count) {}

  Ranking run() {
    std::vector<std::size_t> unknown;
    for (std::size_t i = 0; i < query_.words.size(); ++i) {
      if (!add_word(i, matched_words(index_, query_.words[i].text))) {
        unknown.push_back(i);
      }
    }
    add_phrases();
    std::vector<Hit> whole = hits(Part::whole);
    if (whole.empty()) {
      add_similar(unknown);
    }
    Ranking ranking;
    ranking.whole = whole.size();
    ranking.hits = std::move(whole);
    if (ranking.whole < hits_enough) {
      add_nearest(ranking);
    }
    ranking.widened = ranking.whole == 0 && !ranking.hits.empty();
    return ranking;
  }

 private:
  struct State {
    int score = 0;
    bool phrase = false;
    bool equal = false;
    bool first_word_in_name = false;
    std::uint64_t words = 0;  // bit i: query word i was found
  };
  static_assert(query_tokens_max <= 64);
  enum class Part : std::uint8_t { whole, rest };

  [[nodiscard]] bool is_in_scope(TextIndex::Place place) const {
    const bool used =
        scope_.keywords == Keywords::used || TextIndex::field_of(place) != Field::keywords;
    return used && (scope_.group.empty() ||
                    documents_[TextIndex::document_of(place)].group == scope_.group);
  }

  // Scores every place of the words that stand for query word `position`. False: there is none.
  bool add_word(std::size_t position, const std::vector<MatchedWord>& matched) {
    bool found = false;
    const auto mark = static_cast<std::uint8_t>(position + 1);
    for (const MatchedWord& match : matched) {
      for (const TextIndex::Place place : index_.places(match.word)) {
        // A field counts once for each query word, by the best of its own words.
        if (last_words_[place] == mark || !is_in_scope(place)) {
          continue;
        }
        last_words_[place] = mark;
        ++words_found_[place];
        found = true;
        add_place(place, position, match.worth);
      }
    }
    return found;
  }

  void add_place(TextIndex::Place place, std::size_t position, int worth) {
    const Field field = TextIndex::field_of(place);
    const auto document = static_cast<std::uint32_t>(TextIndex::document_of(place));
    State& state = states_[document];
    if (state.words == 0) {
      touched_.push_back(document);
    }
    state.words |= std::uint64_t{1} << position;
    state.score +=
        worth * query_.words[position].repeats * field_weights[static_cast<std::size_t>(field)];
    state.first_word_in_name |= position == 0 && worth == word_equal && field == Field::name;
  }

  // A field that has the whole query has every word of it, so only those are looked into.
  void add_phrases() {
    for (const std::uint32_t document : touched_) {
      State& state = states_[document];
      for (std::size_t i = 0; i < field_count; ++i) {
        const auto field = static_cast<Field>(i);
        const TextIndex::Place place = TextIndex::place_of(document, field);
        if (words_found_[place] < query_.words.size()) {
          continue;
        }
        const std::string_view text = index_.text(place);
        const PhraseMatch match = field == Field::keywords ? match_keywords(text, query_.text)
                                                           : match_phrase(text, query_.text);
        state.score += match.worth * field_weights[i];
        state.phrase |= match.worth > 0;
        state.equal |= match.equal;
      }
    }
  }

  // Query words that no document has count for words that look like them.
  void add_similar(const std::vector<std::size_t>& unknown) {
    for (std::size_t i = 0; i < std::min(unknown.size(), similar_searches_max); ++i) {
      std::vector<MatchedWord> matched;
      for (const TextIndex::Word word : similar_words(index_, query_.words[unknown[i]].text)) {
        matched.push_back({.word = word, .worth = word_similar});
      }
      add_word(unknown[i], matched);
    }
  }

  [[nodiscard]] double coverage(const State& state) const {
    return static_cast<double>(std::popcount(state.words)) / static_cast<double>(query_.length);
  }

  [[nodiscard]] bool satisfies(const State& state) const {
    constexpr double coverage_min = 0.6;
    const bool strict = query_.length <= strict_words_max;
    return state.phrase || coverage(state) >= (strict ? 1.0 : coverage_min);
  }

  [[nodiscard]] int total(const State& state) const {
    const double share = coverage(state);
    const int partly = static_cast<int>(std::lround(bonus_coverage_max * share));
    return state.score + (share >= 1.0 ? bonus_covered : partly) +
           (state.first_word_in_name ? bonus_first_word : 0) + (state.equal ? bonus_equal : 0);
  }

  [[nodiscard]] std::vector<Hit> hits(Part part) const {
    std::vector<Hit> found;
    for (const std::uint32_t document : touched_) {
      const State& state = states_[document];
      if (satisfies(state) == (part == Part::whole)) {
        found.push_back({.document = document, .score = static_cast<double>(total(state))});
      }
    }
    std::sort(found.begin(), found.end(), [this](const Hit& a, const Hit& b) {
      return a.score != b.score ? a.score > b.score
                                : index_.name_rank(a.document) < index_.name_rank(b.document);
    });
    return found;
  }

  // When nothing satisfies the query, everything that matches anything follows.
  void add_nearest(Ranking& ranking) const {
    // A similar word can complete a document; among the nearest it still belongs.
    std::vector<Hit> nearest = ranking.whole == 0 ? hits(Part::whole) : std::vector<Hit>{};
    const std::vector<Hit> rest = hits(Part::rest);
    nearest.insert(nearest.end(), rest.begin(), rest.end());
    if (ranking.whole > 0) {
      nearest.resize(std::min(nearest.size(), hits_enough - ranking.whole));
    }
    ranking.hits.insert(ranking.hits.end(), nearest.begin(), nearest.end());
  }

  const std::vector<Document>& documents_;
  const TextIndex& index_;
  const Query& query_;
  Scope scope_;
  std::vector<State> states_;              // by document
  std::vector<std::uint8_t> last_words_;   // by place: the last query word found there, from 1
  std::vector<std::uint8_t> words_found_;  // by place: how many query words
  std::vector<std::uint32_t> touched_;     // documents in which anything was found
};

}  // namespace

Ranking rank_documents(const std::vector<Document>& documents,
                       const TextIndex& index,
                       std::string_view query,
                       Scope scope) {
  const Query parsed = parse_query(query);
  if (parsed.words.empty()) {
    return {};
  }
  return Scorer(documents, index, parsed, scope).run();
}

}  // namespace pi_mcp::search
