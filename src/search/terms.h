// How search cuts text into words and reduces words to terms: "getUserByID", "get_user_by_id" and
// "getting users by ID" have the same terms. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "search/word_key.h"

struct sb_stemmer;

namespace pi_mcp::search {

enum class Identifiers : std::uint8_t {
  divided,  // "HTTPServer" is http and server
  both,     // and then httpserver: "GitHub" is git, hub and github
};

// Calls `use` with the words of a text, some at a time, valid during the call: runs of letters and
// digits of any script, in lower case, without accents and widths (NFKD, case folded, marks
// dropped). Identifiers are divided where the case changes. Scripts that write no spaces (Chinese,
// Japanese, Korean, Thai, Lao, Khmer, Burmese) give overlapping pairs of characters; one character
// alone is a word. Invalid UTF-8 separates words.
using UseWords = std::function<void(std::span<const WordKey>)>;
void read_words(std::string_view text, Identifiers identifiers, const UseWords& use);

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
