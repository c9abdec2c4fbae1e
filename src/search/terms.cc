#include "search/terms.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::search {
namespace {

// Shorter words have no ending to lose.
constexpr std::size_t stem_letters_min = 3;

// A table, because this is asked of every byte of every tool.
constexpr std::array<bool, 256> make_lower_or_digit() {
  std::array<bool, 256> table{};
  for (int byte = 0; byte < 128; ++byte) {
    const char c = static_cast<char>(byte);
    table[static_cast<std::size_t>(byte)] = ascii::is_lower(c) || ascii::is_digit(c);
  }
  return table;
}
constexpr std::array<bool, 256> lower_or_digit = make_lower_or_digit();

bool is_lower_or_digit(char c) {
  return lower_or_digit[static_cast<unsigned char>(c)];
}

// Letters, the marks that change them, and digits; their categories stand side by side.
bool is_letter(char32_t code_point) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL &&
         category != UTF8PROC_CATEGORY_ME;
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

class Splitter {
 public:
  Splitter(std::string_view text, Identifiers identifiers, const UseWord& use)
      : text_(text), rejoin_(identifiers == Identifiers::both), use_(use) {}

  void run() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (is_lower_or_digit(c)) {
        lower_letters();
      } else if (ascii::is_upper(c)) {
        upper_letter();
      } else if (static_cast<signed char>(c) < 0) {
        other();
      } else {
        end_run();
        ++position_;
      }
    }
    end_run();
  }

 private:
  void end_word() {
    if (!word_.empty()) {
      use_(word_);
      word_.clear();
    }
  }

  // A run of ASCII letters that was divided is a word as a whole too.
  void end_run() {
    end_word();
    if (divided_from_) {
      std::size_t start = *std::exchange(divided_from_, std::nullopt);
      while (start > 0 && ascii::is_alphanumeric(text_[start - 1])) {
        --start;
      }
      use_(text::lower(text_.substr(start, position_ - start)));
    }
  }

  void lower_letters() {
    const std::size_t start = position_;
    while (position_ < text_.size() && is_lower_or_digit(text_[position_])) {
      ++position_;
    }
    const std::string_view run = text_.substr(start, position_ - start);
    const char next = position_ < text_.size() ? text_[position_] : ' ';
    const bool goes_on = static_cast<signed char>(next) < 0;
    // Most words are pieces of the text as they are.
    if (word_.empty() && !goes_on) {
      use_(run);
    } else {
      word_ += run;
    }
  }

  void upper_letter() {
    if (starts_word(position_)) {
      end_word();
      if (rejoin_ && !divided_from_) {
        divided_from_ = position_;
      }
    }
    word_ += static_cast<char>(text_[position_] - 'A' + 'a');
    ++position_;
  }

  // The I of "userID" and the S of "HTTPServer".
  [[nodiscard]] bool starts_word(std::size_t position) const {
    if (position == 0) {
      return false;
    }
    const char before = text_[position - 1];
    const bool lower_follows = position + 1 < text_.size() && ascii::is_lower(text_[position + 1]);
    return is_lower_or_digit(before) || (ascii::is_upper(before) && lower_follows);
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
      end_word();
    }
  }

  // Pairs of the characters of a run that starts at `start`.
  void unspaced(std::size_t start) {
    end_word();
    divided_from_ = std::nullopt;
    std::size_t end = position_;  // behind the character at `start`
    bool alone = true;
    while (end < text_.size()) {
      std::size_t next = end;
      const char32_t code_point = text::next_code_point(text_, next);
      if (!is_unspaced(code_point) || !is_letter(code_point)) {
        break;
      }
      use_(text_.substr(start, next - start));
      start = end;
      end = next;
      alone = false;
    }
    if (alone) {
      use_(text_.substr(start, end - start));
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
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, folded.size()); ++i) {
      text::append_utf8(word_, static_cast<char32_t>(folded[static_cast<std::size_t>(i)]));
    }
  }

  std::string_view text_;
  bool rejoin_;
  const UseWord& use_;
  std::size_t position_ = 0;
  std::optional<std::size_t> divided_from_;  // where the run of letters was first divided
  std::string word_;  // begun, of letters that are not in the text as they are
};

}  // namespace

void for_each_word(std::string_view text, Identifiers identifiers, const UseWord& use) {
  Splitter(text, identifiers, use).run();
}

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {}

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

std::string_view Stemmer::stem(std::string_view word) const {
  const bool english =
      word.size() >= stem_letters_min && std::all_of(word.begin(), word.end(), ascii::is_lower);
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
  return std::all_of(word.begin(), word.end(), ascii::is_digit);
}

}  // namespace pi_mcp::search
