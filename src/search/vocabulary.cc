#include "search/vocabulary.h"

#include <cstring>

#include "search/common_words.h"

namespace pi_mcp::search {
namespace {

// The first four or eight bytes of what is at least as long.
template <class Number>
std::uint64_t first_bytes(std::string_view text) {
  Number number = 0;
  const char* const bytes = text.data();
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// All bytes of at most eight, some of them twice; of longer texts the first eight.
std::uint64_t packed(std::string_view text) {
  if (text.size() >= 8) {
    return first_bytes<std::uint64_t>(text);
  }
  if (text.size() >= 4) {
    return first_bytes<std::uint32_t>(text) << 32U |
           first_bytes<std::uint32_t>(text.substr(text.size() - 4));
  }
  std::uint64_t bytes = 0;
  for (const char c : text) {
    bytes = bytes << 8U | static_cast<unsigned char>(c);
  }
  return bytes;
}

// `start`: packed(text). Eight bytes at a time: words are mostly shorter.
std::size_t hash_of(std::string_view text, std::uint64_t start) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;  // odd, its bits spread out
  std::uint64_t hash = text.size() * factor;
  hash = (hash ^ start) * factor;
  hash ^= hash >> 32U;
  while (text.size() > 8) {
    text.remove_prefix(8);
    hash = (hash ^ packed(text)) * factor;
    hash ^= hash >> 32U;
  }
  return (hash * factor) >> 32U;
}

}  // namespace

std::size_t TextTable::slot_of(std::string_view text, std::uint64_t start) const {
  std::size_t slot = hash_of(text, start) & (slots_.size() - 1);
  while (slots_[slot].number != free_number &&
         (slots_[slot].start != start || slots_[slot].size != text.size() ||
          (text.size() > 8 && this->text(slots_[slot].number) != text))) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

TextTable::Added TextTable::add(std::string_view text) {
  const std::uint64_t start = packed(text);
  std::size_t slot = slot_of(text, start);
  if (slots_[slot].number != free_number) {
    return {.number = slots_[slot].number, .is_new = false};
  }
  if (2 * (size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text, start);
  }
  const auto number = static_cast<std::uint32_t>(size());
  slots_[slot] = {
      .start = start, .number = number, .size = static_cast<std::uint32_t>(text.size())};
  texts_ += text;
  ends_.push_back(static_cast<std::uint32_t>(texts_.size()));
  return {.number = number, .is_new = true};
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const Slot& slot = slots_[slot_of(text, packed(text))];
  return slot.number == free_number ? std::nullopt : std::optional(slot.number);
}

void TextTable::grow() {
  std::vector<Slot> old(slots_.size() * 2, empty_slot);
  old.swap(slots_);
  for (const Slot& kept : old) {
    if (kept.number != free_number) {
      std::size_t slot = hash_of(text(kept.number), kept.start) & (slots_.size() - 1);
      while (slots_[slot].number != free_number) {
        slot = (slot + 1) & (slots_.size() - 1);
      }
      slots_[slot] = kept;
    }
  }
}

WordOutline::WordOutline(std::string_view word) : size(static_cast<std::uint32_t>(word.size())) {
  for (const char c : word) {
    letters |= 1U << (static_cast<unsigned char>(c) & 31U);
  }
  if (word.size() >= sizeof(start) && word.front() >= 'a' && word.front() <= 'z') {
    std::memcpy(&start, word.data(), sizeof(start));
  }
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
