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
// looking words up.
class TextTable {
 public:
  TextTable() : slots_(64, empty_slot) {}
  // The number of the text, and whether it is new.
  struct Added {
    std::uint32_t number;
    bool is_new;
  };
  Added add(std::string_view text);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::string_view text(std::uint32_t number) const {
    const std::size_t start = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(texts_).substr(start, ends_[number] - start);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }

 private:
  // Most texts are compared without being read: eight bytes and the size are all there is of them.
  struct Slot {
    std::uint64_t start;   // the first bytes of the text
    std::uint32_t number;  // free_number when nobody is here
    std::uint32_t size;
  };
  static constexpr std::uint32_t free_number = 0xFFFFFFFF;
  static constexpr Slot empty_slot = {.start = 0, .number = free_number, .size = 0};
  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t start) const;
  void grow();

  std::string texts_;
  std::vector<std::uint32_t> ends_;
  std::vector<Slot> slots_;  // a power of two, at most half full
};

// Enough of a word to see that it cannot be like another one, without reading it.
struct WordOutline {
  explicit WordOutline(std::string_view word);
  std::uint32_t letters = 0;  // a bit for each letter
  std::uint32_t start = 0;    // the first four letters; 0 for shorter words and other scripts
  std::uint32_t size = 0;
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
  Added add(std::string_view word);
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
  bool stems_;
  Stemmer stemmer_;
  TextTable words_;
  std::vector<Added> word_terms_;      // by number of the word
  std::vector<WordOutline> outlines_;  // the same
  TextTable terms_;
};

}  // namespace pi_mcp::search
