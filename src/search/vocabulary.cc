#include "search/vocabulary.h"

#include <cstring>

#include "search/common_words.h"

namespace pi_mcp::search {
namespace {

// FNV-1a with a final mix, for short texts.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  hash ^= hash >> 15U;
  return hash * 2246822519U;
}

}  // namespace

std::size_t TextTable::slot_of(std::string_view text, std::uint32_t hash) const {
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot].number != free_number &&
         (slots_[slot].hash != hash || this->text(slots_[slot].number) != text)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

TextTable::Added TextTable::add(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  std::size_t slot = slot_of(text, hash);
  if (slots_[slot].number != free_number) {
    return {.number = slots_[slot].number, .is_new = false};
  }
  if (2 * (size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text, hash);
  }
  const auto number = static_cast<std::uint32_t>(size());
  texts_ += text;
  ends_.push_back(static_cast<std::uint32_t>(texts_.size()));
  slots_[slot] = {.hash = hash, .number = number};
  return {.number = number, .is_new = true};
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const Slot& slot = slots_[slot_of(text, hash_of(text))];
  return slot.number == free_number ? std::nullopt : std::optional(slot.number);
}

void TextTable::grow() {
  std::vector<Slot> old(slots_.size() * 2, empty_slot);
  old.swap(slots_);
  for (const Slot& kept : old) {
    if (kept.number != free_number) {
      std::size_t slot = kept.hash & (slots_.size() - 1);
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
