// How search cuts text into words and reduces words to terms: "getUserByID", "get_user_by_id" and
// "getting users by ID" have the same terms. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace pi_mcp::search {

// The words of one text. Most are pieces of the text itself, so that a list of many costs next to
// nothing: it is valid as long as the text is.
class WordList {
 public:
  [[nodiscard]] std::size_t size() const { return words_.size(); }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const Word& word = words_[i];
    return (word.is_copy ? std::string_view(letters_) : text_).substr(word.start, word.size);
  }

  void start(std::string_view text);
  // A piece of the text that is a word as it stands.
  void add_piece(std::size_t start, std::size_t size) {
    words_.push_back({.start = static_cast<std::uint32_t>(start),
                      .size = static_cast<std::uint32_t>(size),
                      .is_copy = false});
  }
  // Appends to the word that end_word() will end.
  void add(std::string_view letters) { letters_ += letters; }
  void add(char letter) { letters_ += letter; }
  // Does nothing when no letter was added since the last end.
  void end_word() {
    if (in_word()) {
      words_.push_back({.start = ended_,
                        .size = static_cast<std::uint32_t>(letters_.size()) - ended_,
                        .is_copy = true});
      ended_ = static_cast<std::uint32_t>(letters_.size());
    }
  }
  [[nodiscard]] bool in_word() const { return letters_.size() > ended_; }

 private:
  struct Word {
    std::uint32_t start;
    std::uint32_t size;
    bool is_copy;  // in letters_, not in text_
  };
  std::string_view text_;
  std::string letters_;  // of the words that are not written in the text as they are
  std::uint32_t ended_ = 0;
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
