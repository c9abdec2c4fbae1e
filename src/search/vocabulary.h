// The words that search has met and the terms they are forms of, as numbers. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/terms.h"

namespace pi_mcp::search {

using TermId = std::uint32_t;

// Texts with numbers from 0 in the order of meeting. Open addressing: indexing a catalog is mostly
// looking words up, and the frequent ones come early and lie together.
class TextTable {
 public:
  TextTable() : slots_(64) {}
  // The number of the text, and whether it is new.
  struct Added {
    std::uint32_t number;
    bool is_new;
  };
  Added add(std::string_view text) { return add(text, ends_of(text)); }
  // `ends`: ends_of(text).
  Added add(std::string_view text, const WordEnds& ends) {
    const std::uint32_t tag = tag_of(text, ends);
    const Slot& slot = slots_[slot_of(text, ends, tag)];
    return slot.tag != 0 ? Added{.number = slot.number, .is_new = false}
                         : Added{.number = add_new(text, ends, tag), .is_new = true};
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::string_view text(std::uint32_t number) const {
    return {texts_.data() + entries_[number].start, entries_[number].size};
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  // tag_of() the text; 0 where nobody is
    std::uint32_t number = 0;
  };
  struct Entry {
    WordEnds ends;
    std::uint32_t start = 0;  // in texts_
    std::uint32_t size = 0;
  };

  // A hash with its lowest bit set.
  static std::uint32_t tag_of(std::string_view text, const WordEnds& ends) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;  // odd, its bits spread out
    std::uint64_t hash = (text.size() ^ ends.first) * factor;
    hash = (hash ^ hash >> 32U ^ ends.last) * factor;
    if (text.size() > ends_size) {
      hash ^= hash_of_middle(text.substr(ends_size / 2, text.size() - ends_size));
    }
    return static_cast<std::uint32_t>(hash >> 32U) | 1U;
  }
  static std::uint64_t hash_of_middle(std::string_view text);

  // The text's, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(std::string_view text,
                                    const WordEnds& ends,
                                    std::uint32_t tag) const {
    for (std::size_t slot = first_slot(tag);; slot = next_slot(slot)) {
      const Slot& here = slots_[slot];
      if (here.tag == 0 || (here.tag == tag && is(here.number, text, ends))) {
        return slot;
      }
    }
  }
  [[nodiscard]] std::size_t first_slot(std::uint32_t tag) const {
    return (tag >> 1U) & (slots_.size() - 1);
  }
  [[nodiscard]] std::size_t next_slot(std::size_t slot) const {
    return (slot + 1) & (slots_.size() - 1);
  }
  [[nodiscard]] bool is(std::uint32_t number, std::string_view text, const WordEnds& ends) const {
    const Entry& entry = entries_[number];
    return entry.size == text.size() && entry.ends == ends &&
           (text.size() <= ends_size || this->text(number) == text);
  }
  std::uint32_t add_new(std::string_view text, const WordEnds& ends, std::uint32_t tag);
  void grow();

  std::string texts_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

// Enough of a word to see that it cannot be like another one, without reading it.
struct WordOutline {
  explicit WordOutline(std::string_view word);
  // Whether it has others than ASCII letters.
  [[nodiscard]] bool is_other() const { return (start & other_start) != 0; }
  static constexpr std::uint32_t other_start = 1U << 31U;
  std::uint32_t letters = 0;  // a bit for each letter
  // The first four letters, ASCII ones as they are, others hashed with other_start; 0 for shorter
  // words and those that start with a digit.
  std::uint32_t start = 0;
  std::uint32_t size = 0;  // in letters

 private:
  void outline_other(std::string_view word);
};

class Vocabulary {
 public:
  // Without stems every word is its own term.
  explicit Vocabulary(bool stems) : stems_(stems) {}

  struct Added {
    TermId term;
    bool is_stop_word;
  };
  // The term of a word, met now if not before.
  Added add(std::string_view word) { return add(word, ends_of(word)); }
  // `ends`: ends_of(word).
  Added add(std::string_view word, const WordEnds& ends) {
    const TextTable::Added added = words_.add(word, ends);
    if (added.is_new) {
      add_form(word);
    }
    return word_terms_[added.number];
  }
  // The term of a word, whether or not this form of it was met; nullopt when no form was.
  [[nodiscard]] std::optional<TermId> find(std::string_view word) const;
  [[nodiscard]] std::string_view term(TermId term) const { return terms_.text(term); }
  [[nodiscard]] std::size_t terms() const { return terms_.size(); }

  // Every word that was met, for comparing mistyped ones with.
  [[nodiscard]] std::size_t words() const { return words_.size(); }
  [[nodiscard]] std::string_view word(std::size_t number) const {
    return words_.text(static_cast<std::uint32_t>(number));
  }
  [[nodiscard]] TermId term_of_word(std::size_t number) const { return word_terms_[number].term; }
  [[nodiscard]] const WordOutline& outline(std::size_t number) const { return outlines_[number]; }

 private:
  // Of a term that may have others.
  void add_form(std::string_view word);

  bool stems_;
  Stemmer stemmer_;
  TextTable words_;
  std::vector<Added> word_terms_;      // by number of the word
  std::vector<WordOutline> outlines_;  // the same
  TextTable terms_;
};

}  // namespace pi_mcp::search
