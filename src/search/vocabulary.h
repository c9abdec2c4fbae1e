// The words that search has met and the terms they are forms of, as numbers. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/terms.h"
#include "search/word_key.h"

namespace pi_mcp::search {

using TermId = std::uint32_t;

// Texts with numbers from 0 in the order of meeting. Nearly all are words, each met many times.
class TextTable {
 public:
  // The number of the text, added now if not before.
  std::uint32_t add(const WordKey& text);
  [[nodiscard]] std::optional<std::uint32_t> find(const WordKey& text) const {
    const std::uint32_t found = slots_[slot_of(text)];
    return found == 0 ? std::nullopt : std::optional(found - 1);
  }
  // Valid until the next one is added.
  [[nodiscard]] std::string_view text(std::uint32_t number) const { return texts_[number].text(); }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  // Where the text has its number, or would get one.
  [[nodiscard]] std::size_t slot_of(const WordKey& text) const {
    const std::size_t last = slots_.size() - 1;
    std::size_t slot = text.hash() & last;
    while (slots_[slot] != 0 && !texts_[slots_[slot] - 1].is_like(text)) {
      slot = (slot + 1) & last;
    }
    return text.is_short() || slots_[slot] == 0 ? slot : slot_of_long(text, slot);
  }
  [[nodiscard]] std::size_t slot_of_long(const WordKey& text, std::size_t slot) const;
  void grow();

  std::vector<WordKey> texts_;    // by number
  std::deque<std::string> long_;  // of those that are not short, which stay where they are
  // Numbers, from 1; 0 is free. A text has the first slot from its hash on that was free when it
  // came, which seldom is another than its first: three of four are free. Always a power of two.
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);
};

// Enough of a word to see that it cannot be like another word, without reading it.
struct WordOutline {
  explicit WordOutline(std::string_view word);
  // True only if more than so many letters have to be changed, added or left out.
  [[nodiscard]] bool differs_by_more(const WordOutline& other, std::size_t edits) const;
  std::uint32_t letters = 0;  // a bit for each letter
  // A hash of the first four letters; 0 for shorter words and those that start with a digit.
  std::uint32_t start = 0;
  std::uint32_t size = 0;  // in letters
};

class Vocabulary {
 public:
  struct Added {
    TermId term;
    bool is_stop_word;
  };
  // The term of a word, met now if not before.
  Added add(const WordKey& word) {
    const std::optional<std::uint32_t> met = words_.find(word);
    return met ? word_terms_[*met] : meet(word);
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
  Added meet(const WordKey& word);

  Stemmer stemmer_;
  TextTable words_;
  std::vector<Added> word_terms_;      // by number of the word
  std::vector<WordOutline> outlines_;  // the same
  TextTable terms_;
};

}  // namespace pi_mcp::search
