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

// Words one behind the other, so that a list of many costs two allocations.
class WordList {
 public:
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] bool empty() const { return ends_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(letters_).substr(start, ends_[i] - start);
  }
  void clear();
  // Appends to the word that end_word() will end.
  void add(std::string_view letters) { letters_ += letters; }
  void add(char letter) { letters_ += letter; }
  // Does nothing when no letter was added since the last end.
  void end_word();
  [[nodiscard]] bool in_word() const {
    return letters_.size() > (ends_.empty() ? 0 : ends_.back());
  }

 private:
  std::string letters_;
  std::vector<std::uint32_t> ends_;
};

enum class Identifiers : std::uint8_t {
  divided,  // "HTTPServer" is http and server
  whole,
};

// Appends the words of a text: runs of letters and digits of any script, in lower case, without
// accents and widths (NFKD, case folded, marks dropped). Identifiers are divided where the case
// changes. Scripts that write no spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give
// overlapping pairs of characters; one character alone is a word. Invalid UTF-8 separates words.
void append_words(std::string_view text, Identifiers identifiers, WordList& words);

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
