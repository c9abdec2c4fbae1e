#include "search/vocabulary.h"

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "search/stop_words.h"

namespace pi_mcp::search {

// From the first slot of one with its hash and size.
std::size_t TextTable::slot_of_long(const WordKey& text, std::size_t slot) const {
  while (slots_[slot] != 0 && texts_[slots_[slot] - 1].text() != text.text()) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::uint32_t TextTable::add(const WordKey& text) {
  std::uint32_t& slot = slots_[slot_of(text)];
  if (slot != 0) {
    return slot - 1;
  }
  texts_.push_back(text.is_short() ? text : WordKey(long_.emplace_back(text.text())));
  slot = static_cast<std::uint32_t>(texts_.size());
  if (texts_.size() * 4 > slots_.size()) {
    grow();
  }
  return static_cast<std::uint32_t>(texts_.size() - 1);
}

// Numbers come back in their order: what was met first, as most is that is met often, is found
// first.
void TextTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t number = 0; number < texts_.size(); ++number) {
    slots_[slot_of(texts_[number])] = number + 1;
  }
}

WordOutline::WordOutline(std::string_view word) {
  constexpr std::uint32_t factor = 0x9E3779B9U;  // odd, its bits spread out
  constexpr std::uint32_t start_letters = 4;
  std::uint32_t hash = 0;
  for (std::size_t position = 0; position < word.size(); ++size) {
    const std::uint32_t letter = text::next_code_point(word, position);
    letters |= 1U << (letter & 31U);
    hash = size < start_letters ? (hash ^ letter) * factor : hash;
  }
  const bool begins_with_digit = !word.empty() && word.front() >= '0' && word.front() <= '9';
  start = size >= start_letters && !begins_with_digit ? hash | 1U : 0;
}

bool WordOutline::differs_by_more(const WordOutline& other, std::size_t edits) const {
  // Each edit takes away at most one letter that only one side has.
  const int one_sided =
      std::max(std::popcount(letters & ~other.letters), std::popcount(other.letters & ~letters));
  return std::max(size, other.size) - std::min(size, other.size) > edits ||
         static_cast<std::size_t>(one_sided) > edits;
}

Vocabulary::Added Vocabulary::meet(const WordKey& word) {
  words_.add(word);
  const std::string_view text = word.text();
  outlines_.emplace_back(text);
  return word_terms_.emplace_back(
      Added{.term = terms_.add(WordKey(stemmer_.stem(text))), .is_stop_word = is_stop_word(text)});
}

std::optional<TermId> Vocabulary::find(std::string_view word) const {
  return terms_.find(WordKey(stemmer_.stem(word)));
}

}  // namespace pi_mcp::search
