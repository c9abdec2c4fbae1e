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

#include <boost/unordered/unordered_flat_map.hpp>

#include "search/terms.h"

namespace pi_mcp::search {

using TermId = std::uint32_t;

// Texts with numbers from 0 in the order of meeting. Nearly all are words, each met many times.
class TextTable {
 public:
  // The number of the text, and whether it is new.
  struct Added {
    std::uint32_t number;
    bool is_new;
  };
  Added add(std::string_view text);
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view text) const;
  [[nodiscard]] std::string_view text(std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  // A text of up to 16 bytes, filled up with zeros: found without reading memory anywhere else.
  using Short = std::array<std::uint64_t, 2>;
  struct HashShort {
    using is_avalanching = void;  // NOLINT(readability-identifier-naming): Boost asks for it
    std::size_t operator()(const Short& text) const;
  };
  // By halves: the processor waits when it reads as one what was just written as two.
  struct EqualShort {
    bool operator()(const Short& a, const Short& b) const {
      return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
    }
  };
  static bool is_short(std::string_view text);
  static Short packed(std::string_view text);

  std::deque<std::string> texts_;  // which stay where they are
  boost::unordered_flat_map<Short, std::uint32_t, HashShort, EqualShort> short_;
  boost::unordered_flat_map<std::string_view, std::uint32_t, std::hash<std::string_view>> long_;
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
  Stemmer stemmer_;
  TextTable words_;
  std::vector<Added> word_terms_;      // by number of the word
  std::vector<WordOutline> outlines_;  // the same
  TextTable terms_;
};

}  // namespace pi_mcp::search
