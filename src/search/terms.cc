#include "search/terms.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "base/text.h"

namespace pi_mcp::search {
namespace {

// Shorter words have no ending to lose.
constexpr std::size_t stem_letters_min = 3;

constexpr bool is_ascii_lower(char c) {
  return c >= 'a' && c <= 'z';
}

constexpr bool is_ascii_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_ascii_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
      return true;
    default:
      return false;
  }
}

// Blocks of scripts that are written without spaces between words.
bool is_unspaced(char32_t c) {
  using Block = std::pair<char32_t, char32_t>;              // first and last
  constexpr std::array blocks = {Block(0x0E00, 0x0EFF),     // Thai, Lao
                                 Block(0x1000, 0x109F),     // Burmese
                                 Block(0x1780, 0x17FF),     // Khmer
                                 Block(0x3040, 0x30FF),     // Hiragana, Katakana
                                 Block(0x3400, 0x4DBF),     // Han
                                 Block(0x4E00, 0x9FFF),     // Han
                                 Block(0xAC00, 0xD7AF),     // Hangul
                                 Block(0xF900, 0xFAFF),     // Han
                                 Block(0x20000, 0x3FFFF)};  // Han
  return std::any_of(blocks.begin(), blocks.end(), [c](const Block& block) {
    return c >= block.first && c <= block.second;
  });
}

enum class ByteKind : std::uint8_t { separator, lower, upper, other };

// Digits are like lower-case letters.
constexpr std::array<ByteKind, 256> byte_kinds = [] {
  std::array<ByteKind, 256> kinds{};
  for (std::size_t byte = 0; byte < kinds.size(); ++byte) {
    const char c = static_cast<char>(byte);
    if (byte >= 0x80) {
      kinds[byte] = ByteKind::other;
    } else if (is_ascii_lower(c) || is_ascii_digit(c)) {
      kinds[byte] = ByteKind::lower;
    } else if (is_ascii_upper(c)) {
      kinds[byte] = ByteKind::upper;
    }
  }
  return kinds;
}();

class Splitter {
 public:
  Splitter(std::string_view text, Identifiers identifiers, WordList& words)
      : text_(text), divide_(identifiers == Identifiers::divided), words_(words) {}

  void run() {
    words_.start(text_);
    while (position_ < text_.size()) {
      switch (kind_at(position_)) {
        case ByteKind::lower:
          lower();
          break;
        case ByteKind::upper:
          upper();
          break;
        case ByteKind::separator:
          words_.end_word();
          ++position_;
          break;
        case ByteKind::other:
          other();
          break;
      }
    }
    words_.end_word();
  }

 private:
  [[nodiscard]] ByteKind kind_at(std::size_t position) const {
    return byte_kinds[static_cast<unsigned char>(text_[position])];
  }

  // A run of lower-case letters and digits, which with nothing before and behind it is a word.
  void lower() {
    const std::size_t start = position_;
    while (position_ < text_.size() && kind_at(position_) == ByteKind::lower) {
      ++position_;
    }
    const ByteKind behind = position_ < text_.size() ? kind_at(position_) : ByteKind::separator;
    const bool ends = behind == ByteKind::separator || (behind == ByteKind::upper && divide_);
    if (ends && !words_.in_word()) {
      words_.add_piece(start, position_ - start);
    } else {
      words_.add(text_.substr(start, position_ - start));
    }
  }

  void upper() {
    if (divide_ && starts_word()) {
      words_.end_word();
    }
    words_.add(static_cast<char>(text_[position_] - 'A' + 'a'));
    ++position_;
  }

  // "userID": the I. "HTTPServer": the S.
  [[nodiscard]] bool starts_word() const {
    if (position_ == 0) {
      return false;
    }
    const char before = text_[position_ - 1];
    const bool lower_follows = position_ + 1 < text_.size() && is_ascii_lower(text_[position_ + 1]);
    return is_ascii_lower(before) || is_ascii_digit(before) ||
           (is_ascii_upper(before) && lower_follows);
  }

  void other() {
    const std::size_t start = position_;
    const char32_t code_point = text::next_code_point(text_, position_);
    if (is_unspaced(code_point) && is_letter(code_point)) {
      unspaced(start);
    } else if (is_letter(code_point)) {
      add_folded(code_point);
    } else if (utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) !=
               UTF8PROC_CATEGORY_ME) {
      words_.end_word();
    }
  }

  // Pairs of the characters of a run that starts at `start`.
  void unspaced(std::size_t start) {
    words_.end_word();
    std::size_t end = position_;  // behind the character at `start`
    bool alone = true;
    while (end < text_.size()) {
      std::size_t next = end;
      const char32_t code_point = text::next_code_point(text_, next);
      if (!is_unspaced(code_point) || !is_letter(code_point)) {
        break;
      }
      words_.add_piece(start, next - start);
      start = end;
      end = next;
      alone = false;
    }
    if (alone) {
      words_.add_piece(start, end - start);
    }
    position_ = end;
  }

  void add_folded(char32_t code_point) {
    std::array<utf8proc_int32_t, 16> folded{};
    int last_class = 0;
    // Options of a C library: bits, which no single enumerator has together.
    constexpr unsigned bits =
        UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK;
    const auto options = std::bit_cast<utf8proc_option_t>(bits);
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point),
                                folded.data(),
                                static_cast<utf8proc_ssize_t>(folded.size()),
                                options,
                                &last_class);
    std::string letters;
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, folded.size()); ++i) {
      text::append_utf8(letters, static_cast<char32_t>(folded[static_cast<std::size_t>(i)]));
    }
    words_.add(letters);
  }

  std::string_view text_;
  bool divide_;
  WordList& words_;
  std::size_t position_ = 0;
};

}  // namespace

void WordList::start(std::string_view text) {
  text_ = text;
  letters_.clear();
  ended_ = 0;
  words_.clear();
}

void read_words(std::string_view text, Identifiers identifiers, WordList& words) {
  Splitter(text, identifiers, words).run();
}

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {}

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

std::string_view Stemmer::stem(std::string_view word) const {
  const bool english =
      word.size() >= stem_letters_min && std::all_of(word.begin(), word.end(), is_ascii_lower);
  if (!english || !stemmer_ || word.size() > std::numeric_limits<int>::max()) {
    return word;
  }
  const sb_symbol* stem = sb_stemmer_stem(stemmer_.get(),
                                          reinterpret_cast<const sb_symbol*>(word.data()),
                                          static_cast<int>(word.size()));
  return stem == nullptr
             ? word
             : std::string_view(reinterpret_cast<const char*>(stem),
                                static_cast<std::size_t>(sb_stemmer_length(stemmer_.get())));
}

bool is_number(std::string_view word) {
  return std::all_of(word.begin(), word.end(), is_ascii_digit);
}

}  // namespace pi_mcp::search
