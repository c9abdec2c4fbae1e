#include "tool/reference_score.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "search/query.h"
#include "search/words.h"

namespace pi_mcp::tool {
namespace {

// What a match is worth, in multiples of the field's weight.
constexpr int phrase_equal = 14;
constexpr int phrase_start = 9;
constexpr int phrase_inside = 6;
constexpr int word_equal = 4;
constexpr int word_stem = 2;
constexpr int word_inside = 1;
// Added once a document.
constexpr int bonus_covered = 25;
constexpr int bonus_coverage_max = 10;  // times the share of words found, when not all are
constexpr int bonus_first_word = 8;
constexpr int bonus_equal = 20;
constexpr std::size_t stem_length_min = 4;
// A query of more words than this may miss some, so long as six tenths are there.
constexpr std::size_t strict_words_max = 2;
constexpr double coverage_min = 0.6;

struct FieldText {
  int weight;
  std::vector<std::string> phrases;  // one but for keywords; normalised
};

std::vector<FieldText> fields_of(const search::Document& document) {
  std::vector<FieldText> fields = {
      {.weight = 12, .phrases = {search::normalise(document.name)}},
      {.weight = 10, .phrases = {search::normalise(document.original)}},
      {.weight = 8, .phrases = {search::normalise(document.group)}},
      {.weight = 5, .phrases = {search::normalise(document.description)}},
      {.weight = 5, .phrases = {}},
  };
  for (const std::string& keyword : document.keywords) {
    fields.back().phrases.push_back(search::normalise(keyword));
  }
  return fields;
}

bool is_ascii(std::string_view word) {
  return std::all_of(
      word.begin(), word.end(), [](char c) { return static_cast<signed char>(c) > 0; });
}

class Score {
 public:
  Score(const search::Document& document, std::string_view query)
      : fields_(fields_of(document)),
        text_(search::normalise(query)),
        query_(text::trim(text_)),
        words_(search::tokens(query_)) {
    words_.resize(std::min(words_.size(), search::query_words_max));
  }

  [[nodiscard]] double value() {
    if (words_.empty()) {
      return 0;
    }
    for (const FieldText& field : fields_) {
      add_field(field);
    }
    const double coverage = static_cast<double>(found_.size()) / static_cast<double>(words_.size());
    const bool covered = found_.size() == words_.size();
    const bool enough = words_.size() > strict_words_max && coverage >= coverage_min;
    if (!phrase_ && !covered && !enough) {
      return 0;
    }
    score_ += covered ? bonus_covered : std::floor(coverage * bonus_coverage_max + 0.5);
    const std::vector<std::string> name = search::tokens(fields_.front().phrases.front());
    const bool first = std::find(name.begin(), name.end(), words_.front()) != name.end();
    score_ += first ? bonus_first_word : 0;
    return score_ + (equal_ ? bonus_equal : 0);
  }

 private:
  void add_field(const FieldText& field) {
    int best = 0;
    std::vector<std::string> words;
    for (const std::string& phrase : field.phrases) {
      best = std::max(best, phrase_match(phrase));
      const std::vector<std::string> of_phrase = search::tokens(phrase);
      words.insert(words.end(), of_phrase.begin(), of_phrase.end());
    }
    phrase_ = phrase_ || best > 0;
    equal_ = equal_ || best == phrase_equal;
    score_ += best * field.weight;
    for (const std::string& word : words_) {
      const int match = word_match(word, words, field.phrases);
      score_ += match * field.weight;
      if (match > 0) {
        found_.insert(word);
      }
    }
  }

  [[nodiscard]] int phrase_match(std::string_view phrase) const {
    const std::size_t place = phrase.find(query_);
    if (place == std::string_view::npos) {
      return 0;
    }
    if (phrase.size() == query_.size()) {
      return phrase_equal;
    }
    return place == 0 ? phrase_start : phrase_inside;
  }

  static int word_match(const std::string& word,
                        const std::vector<std::string>& words,
                        const std::vector<std::string>& phrases) {
    if (std::find(words.begin(), words.end(), word) != words.end()) {
      return word_equal;
    }
    const auto is_form = [&word](const std::string& other) {
      return other.starts_with(word) ||
             (other.size() >= stem_length_min && word.starts_with(other));
    };
    if (is_ascii(word) && std::any_of(words.begin(), words.end(), is_form)) {
      return word_stem;
    }
    // A single letter says too little to be looked for inside words.
    const bool inside =
        word.size() > 1 && std::any_of(phrases.begin(), phrases.end(), [&word](const auto& phrase) {
          return phrase.find(word) != std::string::npos;
        });
    return inside ? word_inside : 0;
  }

  std::vector<FieldText> fields_;
  std::string text_;
  std::string_view query_;
  std::vector<std::string> words_;
  std::set<std::string> found_;
  double score_ = 0;
  bool phrase_ = false;
  bool equal_ = false;
};

}  // namespace

double reference_score(const search::Document& document, std::string_view query) {
  return Score(document, query.substr(0, search::query_bytes_max)).value();
}

}  // namespace pi_mcp::tool
