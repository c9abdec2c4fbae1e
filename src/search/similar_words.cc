#include "search/similar_words.h"

#include <algorithm>
#include <bit>
#include <cstdint>

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

std::uint32_t letters_of(std::string_view word) {
  std::uint32_t letters = 0;
  for (const char c : word) {
    letters |= 1U << (static_cast<unsigned char>(c) & 31U);
  }
  return letters;
}

// One begins with the other, or both with so much that they are likely forms of one word: three
// fifths of the longer one.
bool begins_like(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(end - a.begin());
  return common == std::min(a.size(), b.size()) ||
         (common >= length_min && common * 5 >= std::max(a.size(), b.size()) * 3);
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
  const std::uint32_t letters = letters_of(word);
  std::size_t edits_max = word.size() < long_word ? 1 : 2;
  for (std::size_t number = 0; number < vocabulary.words(); ++number) {
    const std::string_view other = vocabulary.word(number);
    if (other.size() < length_min || other.front() < 'a' || other.front() > 'z') {
      continue;
    }
    if (begins_like(word, other)) {
      add_once(beginning.terms, vocabulary.term_of_word(number));
    }
    const std::size_t longer = std::max(word.size(), other.size());
    const std::uint32_t others = letters_of(other);
    // Each edit takes away at most one letter that only one side has.
    const int one_sided =
        std::max(std::popcount(letters & ~others), std::popcount(others & ~letters));
    if (longer - std::min(word.size(), other.size()) > edits_max ||
        static_cast<std::size_t>(one_sided) > edits_max) {
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
