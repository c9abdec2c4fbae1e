#include "search/vocabulary.h"

#include "base/text.h"
#include "search/stop_words.h"

namespace pi_mcp::search {

TextTable::Added TextTable::add(std::string_view text) {
  if (const std::optional<std::uint32_t> number = find(text)) {
    return {.number = *number, .is_new = false};
  }
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return {.number = number, .is_new = true};
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
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

Vocabulary::Added Vocabulary::add(std::string_view word) {
  const TextTable::Added added = words_.add(word);
  if (added.is_new) {
    word_terms_.push_back({.term = terms_.add(stems_ ? stemmer_.stem(word) : word).number,
                           .is_stop_word = is_stop_word(word)});
    outlines_.emplace_back(word);
  }
  return word_terms_[added.number];
}

std::optional<TermId> Vocabulary::find(std::string_view word) const {
  return terms_.find(stems_ ? stemmer_.stem(word) : word);
}

}  // namespace pi_mcp::search
