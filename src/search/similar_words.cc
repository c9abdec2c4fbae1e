#include "search/similar_words.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::search {
namespace {

// In a shorter word one letter is too much of it.
constexpr std::size_t length_min = 4;
// From here on two letters may differ.
constexpr std::size_t long_word = 8;
// Longer runs of letters are not words.
constexpr std::size_t length_max = 64;

// In a word of so many letters the first one is seldom wrong, and too many words differ by it:
// rain, train; rice, price.
constexpr std::size_t short_word = 4;

// One begins with the other, or both with so much that they are likely forms of one word: three
// fifths of the longer one.
bool begins_like(std::u32string_view a, std::u32string_view b) {
  const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(end - a.begin());
  return common == std::min(a.size(), b.size()) ||
         (common >= length_min && common * 5 >= std::max(a.size(), b.size()) * 3);
}

std::size_t edits_between(std::u32string_view word, std::u32string_view other) {
  const bool swapped = word[0] == other[1] && word[1] == other[0];
  return word.size() > short_word || word[0] == other[0] || swapped
             ? text::edit_distance(word, other)
             : word.size();
}

}  // namespace

SimilarWords similar_words(const Vocabulary& vocabulary, std::string_view word) {
  SimilarWords close{.terms = {}, .close = true};
  SimilarWords beginning;
  const WordOutline outline(word);
  if (outline.start == 0 || outline.size > length_max ||
      std::ranges::any_of(word, ascii::is_digit)) {
    return beginning;
  }
  const std::u32string letters = text::code_points(word);
  std::size_t edits_max = outline.size < long_word ? 1 : 2;
  for (std::size_t number = 0; number < vocabulary.words(); ++number) {
    const WordOutline& other = vocabulary.outline(number);
    const bool may_be_close = !outline.differs_by_more(other, edits_max);
    if (other.start == 0 || (other.start != outline.start && !may_be_close)) {
      continue;
    }
    const std::u32string other_letters = text::code_points(vocabulary.word(number));
    if (other.start == outline.start && begins_like(letters, other_letters)) {
      beginning.terms.push_back(vocabulary.term_of_word(number));
    }
    const std::size_t edits = may_be_close ? edits_between(letters, other_letters) : edits_max + 1;
    if (edits > edits_max) {
      continue;
    }
    if (edits < edits_max) {
      edits_max = edits;
      close.terms.clear();
    }
    close.terms.push_back(vocabulary.term_of_word(number));
  }
  return close.terms.empty() ? beginning : close;
}

}  // namespace pi_mcp::search
