#include "search/vocabulary.h"

#include <cstring>

#include "base/text.h"
#include "search/stop_words.h"

namespace pi_mcp::search {

std::uint64_t TextTable::hash_of_middle(std::string_view text) {
  constexpr std::uint64_t factor = 0xD6E8FEB86659FD93U;  // odd, its bits spread out
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < text.size(); i += sizeof(std::uint64_t)) {
    hash = (hash ^ hash >> 32U ^ ends_of(text.substr(i, sizeof(std::uint64_t))).first) * factor;
  }
  return hash;
}

std::uint32_t TextTable::add_new(std::string_view text, const WordEnds& ends, std::uint32_t tag) {
  if (2 * (size() + 1) > slots_.size()) {
    grow();
  }
  const auto number = static_cast<std::uint32_t>(size());
  entries_.push_back({.ends = ends,
                      .start = static_cast<std::uint32_t>(texts_.size()),
                      .size = static_cast<std::uint32_t>(text.size())});
  texts_ += text;
  slots_[slot_of(text, ends, tag)] = {.tag = tag, .number = number};
  return number;
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const WordEnds ends = ends_of(text);
  const Slot& slot = slots_[slot_of(text, ends, tag_of(text, ends))];
  return slot.tag == 0 ? std::nullopt : std::optional(slot.number);
}

void TextTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& kept : old) {
    if (kept.tag != 0) {
      std::size_t slot = first_slot(kept.tag);
      while (slots_[slot].tag != 0) {
        slot = next_slot(slot);
      }
      slots_[slot] = kept;
    }
  }
}

WordOutline::WordOutline(std::string_view word) : size(static_cast<std::uint32_t>(word.size())) {
  unsigned bytes = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    letters |= 1U << (byte & 31U);
    bytes |= byte;
  }
  if (bytes >= 0x80) {
    outline_other(word);
  } else if (word.size() >= sizeof(start) && word.front() >= 'a' && word.front() <= 'z') {
    std::memcpy(&start, word.data(), sizeof(start));
  }
}

void WordOutline::outline_other(std::string_view word) {
  constexpr std::uint32_t factor = 0x9E3779B9U;  // odd, its bits spread out
  std::uint32_t hash = 0;
  letters = 0;
  size = 0;
  for (std::size_t position = 0; position < word.size(); ++size) {
    const std::uint32_t letter = text::next_code_point(word, position);
    letters |= 1U << (letter & 31U);
    hash = size < sizeof(start) ? (hash ^ letter) * factor : hash;
  }
  start = size >= sizeof(start) ? hash | other_start : 0;
}

void Vocabulary::add_form(std::string_view word) {
  word_terms_.push_back({.term = terms_.add(stems_ ? stemmer_.stem(word) : word).number,
                         .is_stop_word = is_stop_word(word)});
  outlines_.emplace_back(word);
}

std::optional<TermId> Vocabulary::find(std::string_view word) const {
  return terms_.find(stems_ ? stemmer_.stem(word) : word);
}

}  // namespace pi_mcp::search
