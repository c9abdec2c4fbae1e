#include "search/similar_words.h"

#include <algorithm>
#include <bit>

#include "base/text.h"

namespace pi_mcp::search {
namespace {

// In a shorter word one letter is too much of it.
constexpr std::size_t length_min = 4;
// From here on two letters may differ.
constexpr std::size_t long_word = 8;
// Longer ones are no words.
constexpr std::size_t length_max = 64;

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// One begins with the other, or both with so much that they are likely forms of one word: three
// fifths of the longer one.
bool begins_like(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(end - a.begin());
  return common == std::min(a.size(), b.size()) ||
         (common >= length_min && common * 5 >= std::max(a.size(), b.size()) * 3);
}

bool differ_by_more(const WordOutline& a, const WordOutline& b, std::size_t edits) {
  // Each edit takes away at most one letter that only one side has.
  const int one_sided =
      std::max(std::popcount(a.letters & ~b.letters), std::popcount(b.letters & ~a.letters));
  return std::max(a.size, b.size) - std::min(a.size, b.size) > edits ||
         static_cast<std::size_t>(one_sided) > edits;
}

void add_once(std::vector<TermId>& terms, TermId term) {
  if (std::find(terms.begin(), terms.end(), term) == terms.end()) {
    terms.push_back(term);
  }
}

}  // namespace

SimilarWords similar_words(const Vocabulary& vocabulary, std::string_view word) {
  SimilarWords close{.terms = {}, .close = true};
  SimilarWords beginning;
  if (word.size() < length_min || word.size() > length_max || !is_plain(word)) {
    return beginning;
  }
  const WordOutline outline(word);
  std::size_t edits_max = word.size() < long_word ? 1 : 2;
  for (std::size_t number = 0; number < vocabulary.words(); ++number) {
    const WordOutline& other_outline = vocabulary.outline(number);
    if (other_outline.start == 0) {
      continue;
    }
    const std::string_view other = vocabulary.word(number);
    if (other_outline.start == outline.start && begins_like(word, other)) {
      add_once(beginning.terms, vocabulary.term_of_word(number));
    }
    if (differ_by_more(outline, other_outline, edits_max)) {
      continue;
    }
    const std::size_t edits = text::edit_distance(word, other);
    if (edits > edits_max) {
      continue;
    }
    if (edits < edits_max) {
      edits_max = edits;
      close.terms.clear();
    }
    add_once(close.terms, vocabulary.term_of_word(number));
  }
  return close.terms.empty() ? beginning : close;
}

}  // namespace pi_mcp::search
