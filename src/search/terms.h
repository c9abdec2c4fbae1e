// How search cuts text into words and reduces words to terms: "getUserByID", "get_user_by_id" and
// "getting users by ID" have the same terms. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace pi_mcp::search {

// The first and the last eight bytes of a word; of a shorter one all of it, zeros behind, twice.
// With the size that is all there is of nearly every word, so that tables of words seldom look at
// the words themselves.
struct WordEnds {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const WordEnds&) const = default;
};
// Eight bytes of memory, the first one lowest.
[[nodiscard]] inline std::uint64_t eight_bytes(const char* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof(number));
  return std::endian::native == std::endian::little ? number : __builtin_bswap64(number);
}
[[nodiscard]] WordEnds ends_of(std::string_view word);
constexpr std::size_t ends_size = 16;  // longer words have a middle

// The words of one text, in memory that is used again for the next one. Does not need the text.
class WordList {
 public:
  [[nodiscard]] std::size_t size() const { return words_.size(); }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return {letters_.data() + words_[i].start, words_[i].size};
  }
  [[nodiscard]] const WordEnds& ends(std::size_t i) const { return words_[i].ends; }

  // Now the list is empty, and letters() is a copy of `text`.
  void start(std::string_view text);
  // To write in until a piece of it is added. Behind the text are `padding` bytes of zero.
  [[nodiscard]] char* letters() { return letters_.data(); }
  static constexpr std::size_t padding = 64;
  // A word that is a piece of letters(), one byte at least.
  void add_piece(std::size_t start, std::size_t size) {
    // As ends_of(), but without a choice by the size, which no processor guesses: behind every
    // piece is more memory.
    constexpr std::size_t whole = sizeof(std::uint64_t);
    const std::size_t part = std::min(size, whole);
    const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (whole - part) % 64);
    const char* const piece = letters_.data() + start;
    words_.push_back({.ends = {.first = eight_bytes(piece) & mask,
                               .last = eight_bytes(piece + (size - part)) & mask},
                      .start = static_cast<std::uint32_t>(start),
                      .size = static_cast<std::uint32_t>(size)});
  }

  // Appends to the word that end_word() will end.
  void add(std::string_view letters) { letters_ += letters; }
  void add(char letter) { letters_ += letter; }
  // Does nothing when no letter was added since the last end.
  void end_word() {
    if (in_word()) {
      take_word();
    }
  }
  [[nodiscard]] bool in_word() const { return letters_.size() > ended_; }

 private:
  void take_word();

  struct Word {
    WordEnds ends;
    std::uint32_t start = 0;  // in letters_
    std::uint32_t size = 0;
  };
  std::string letters_;      // the text, its padding, and words that are no pieces of it
  std::uint32_t ended_ = 0;  // where the word starts that end_word() will end
  std::vector<Word> words_;
};

enum class Identifiers : std::uint8_t {
  divided,  // "HTTPServer" is http and server
  whole,
};

// Makes `words` those of a text of less than 4 GiB: runs of letters and digits of any script, in
// lower case, without accents and widths (NFKD, case folded, marks dropped). Identifiers are
// divided where the case changes. Scripts that write no spaces (Chinese, Japanese, Korean, Thai,
// Lao, Khmer, Burmese) give overlapping pairs of characters; one character alone is a word. Invalid
// UTF-8 separates words.
void read_words(std::string_view text, Identifiers identifiers, WordList& words);

// English stems (Snowball); words with other than ASCII letters are their own stems.
class Stemmer {
 public:
  Stemmer();
  // Valid until the next call.
  [[nodiscard]] std::string_view stem(std::string_view word) const;

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

[[nodiscard]] bool is_number(std::string_view word);

}  // namespace pi_mcp::search
