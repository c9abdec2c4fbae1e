#include "search/vocabulary.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "search/stop_words.h"

namespace pi_mcp::search {
namespace {

static_assert(std::endian::native == std::endian::little, "packed() shifts by it");

template <class Number>
std::uint64_t load(std::string_view text, std::size_t position) {
  Number number{};
  std::memcpy(&number, text.data() + position, sizeof number);
  return number;
}

template <class Map, class Key>
std::optional<std::uint32_t> number_in(const Map& numbers, const Key& key) {
  const auto found = numbers.find(key);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::size_t TextTable::HashShort::operator()(const Short& text) const {
  constexpr std::uint64_t factor = 0xD6E8FEB86659FD93U;  // odd, its bits spread out
  std::uint64_t hash = 0;
  for (const std::uint64_t part : text) {
    hash = (hash ^ part) * factor;
    hash ^= hash >> 32U;
  }
  return hash;
}

bool TextTable::is_short(std::string_view text) {
  return text.size() <= sizeof(Short) && (text.empty() || text.back() != '\0');
}

// In loads that overlap, not byte by byte: this is done for every word of every tool.
TextTable::Short TextTable::packed(std::string_view text) {
  const std::size_t size = text.size();
  if (size > 8) {
    return {load<std::uint64_t>(text, 0), load<std::uint64_t>(text, size - 8) >> 8 * (16 - size)};
  }
  if (size == 8) {
    return {load<std::uint64_t>(text, 0), 0};
  }
  if (size >= 4) {
    const std::uint64_t rest = load<std::uint32_t>(text, size - 4) >> 8 * (8 - size);
    return {load<std::uint32_t>(text, 0) | rest << 32U, 0};
  }
  Short packed{};
  for (std::size_t i = 0; i < size; ++i) {
    packed[0] |= load<std::uint8_t>(text, i) << 8 * i;
  }
  return packed;
}

TextTable::Added TextTable::add(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(texts_.size());
  if (is_short(text)) {
    const auto [found, is_new] = short_.emplace(packed(text), next);
    if (is_new) {
      texts_.emplace_back(text);
    }
    return {.number = found->second, .is_new = is_new};
  }
  if (const std::optional<std::uint32_t> number = number_in(long_, text)) {
    return {.number = *number, .is_new = false};
  }
  long_.emplace(texts_.emplace_back(text), next);
  return {.number = next, .is_new = true};
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  return is_short(text) ? number_in(short_, packed(text)) : number_in(long_, text);
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

Vocabulary::Added Vocabulary::add(std::string_view word) {
  const TextTable::Added added = words_.add(word);
  if (added.is_new) {
    word_terms_.push_back(
        {.term = terms_.add(stemmer_.stem(word)).number, .is_stop_word = is_stop_word(word)});
    outlines_.emplace_back(word);
  }
  return word_terms_[added.number];
}

std::optional<TermId> Vocabulary::find(std::string_view word) const {
  return terms_.find(stemmer_.stem(word));
}

}  // namespace pi_mcp::search
