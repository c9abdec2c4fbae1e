#include "search/terms.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <boost/container/static_vector.hpp>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::search {
namespace {

// Shorter words have no ending to lose.
constexpr std::size_t stem_letters_min = 3;

// The words of the next 64 bytes of a text, as bits: one for each byte, the first one lowest. Up to
// the first that is long, has other letters than those of ASCII or goes on behind the piece.
class Piece {
 public:
  explicit Piece(std::string_view text) : bytes_(text.data()) {
    if (text.size() < padded_.size()) {
      std::memcpy(padded_.data(), text.data(), text.size());
      bytes_ = padded_.data();
    }
    Bytes bytes;
    std::memcpy(&bytes, bytes_, sizeof bytes);
    const std::uint64_t letters = bits(((bytes | case_bit) - 'a') < 26);
    const std::uint64_t upper = letters & bits(bytes < 'a');
    const std::uint64_t digits = bits((bytes - '0') < 10);
    const std::uint64_t other = bits(bytes >= 0x80);
    runs_ = letters | digits | other;
    const std::uint64_t odd = other | long_runs();
    is_plain = odd == 0;
    length = start_of_run(std::countr_zero(odd | (runs_ & 1ULL << 63U)));
    runs_ &= bits_below(length);
    // The I of "userID" and the S of "HTTPServer".
    const std::uint64_t lower = letters & ~upper;
    const std::uint64_t inside =
        runs_ & upper & ((lower | digits) << 1U | (upper << 1U & lower >> 1U));
    begins = (runs_ & ~(runs_ << 1U)) | inside;
    ends = (runs_ & ~(runs_ >> 1U)) << 1U | inside;
    divided = (runs_ + inside) & ~runs_;
  }

  // In lower case.
  [[nodiscard]] WordKey word(int begin, int end) const {
    ShortBytes bytes;
    std::memcpy(&bytes, bytes_ + begin, sizeof bytes);
    bytes |= case_bit;  // which digits have anyway
    bytes &= ShortBytes(places < static_cast<unsigned char>(end - begin));
    return {std::bit_cast<WordKey::Packed>(bytes), static_cast<std::size_t>(end - begin)};
  }
  // The whole run of letters that ends there.
  [[nodiscard]] WordKey whole(int end) const { return word(start_of_run(end), end); }

  int length;             // of the text up to there
  bool is_plain;          // only the end of the piece is there
  std::uint64_t begins;   // of words
  std::uint64_t ends;     // the bytes behind them
  std::uint64_t divided;  // those behind a run of letters that is more than one word
  static constexpr int size = 64;

 private:
  // What the compiler makes one instruction for each 16 bytes of, on every processor.
  using Bytes = unsigned char __attribute__((ext_vector_type(size)));
  using Bits = bool __attribute__((ext_vector_type(size)));
  using ShortBytes = unsigned char __attribute__((ext_vector_type(sizeof(WordKey::Packed))));
  static constexpr ShortBytes places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  static constexpr unsigned char case_bit = 'a' - 'A';
  template <class Found>
  static std::uint64_t bits(const Found& found) {
    return std::bit_cast<std::uint64_t>(__builtin_convertvector(found, Bits));
  }
  static std::uint64_t bits_below(int place) { return place == size ? ~0ULL : (1ULL << place) - 1; }
  // Where the run begins that this place is in or behind; `size` for `size`.
  [[nodiscard]] int start_of_run(int place) const {
    return place == size ? size : size - std::countl_zero(~runs_ & bits_below(place));
  }
  // Where 16 bytes of a run begin.
  [[nodiscard]] std::uint64_t long_runs() const {
    std::uint64_t found = runs_;
    for (std::size_t distance = 1; distance <= WordKey::short_max; distance *= 2) {
      found &= found >> distance;
    }
    return found;
  }

  const char* bytes_;
  std::array<char, size + sizeof(WordKey::Packed)> padded_{};
  std::uint64_t runs_;  // letters and digits
};

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
  Splitter(std::string_view text, Identifiers identifiers, const UseWords& use)
      : text_(text), rejoin_(identifiers == Identifiers::both), use_(use) {}

  void run() {
    while (position_ < text_.size()) {
      const Piece piece(text_.substr(position_));
      use_words(piece);
      position_ += static_cast<std::size_t>(piece.length);
      if (!piece.is_plain) {
        read_letters();
      }
    }
  }

 private:
  void use_words(const Piece& piece) {
    const std::uint64_t joined = rejoin_ ? piece.divided : 0;
    std::uint64_t ends = piece.ends;
    for (std::uint64_t begins = piece.begins; begins != 0; begins &= begins - 1) {
      const int end = std::countr_zero(ends);
      ends &= ends - 1;
      words_.push_back(piece.word(std::countr_zero(begins), end));
      if ((joined >> end & 1U) != 0) {
        words_.push_back(piece.whole(end));
      }
    }
    use_({words_.data(), words_.size()});
    words_.clear();
  }

  // Any text, letter by letter, up to a word that begins as those of a piece do.
  void read_letters() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (ascii::is_lower_or_digit(c)) {
        word_ += c;
        ++position_;
      } else if (ascii::is_upper(c)) {
        upper_letter();
      } else if (static_cast<signed char>(c) < 0) {
        other();
      } else {
        end_run();
        ++position_;
        if (position_ < text_.size() && ascii::is_alphanumeric(text_[position_])) {
          return;
        }
      }
    }
    end_run();
  }

  void use_text(std::string_view text) {
    const WordKey word(text);
    use_({&word, 1});
  }

  void end_word() {
    if (!word_.empty()) {
      use_text(word_);
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
      use_text(text::lower(text_.substr(start, position_ - start)));
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
    return ascii::is_lower_or_digit(before) || (ascii::is_upper(before) && lower_follows);
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
      use_text(text_.substr(start, next - start));
      start = end;
      end = next;
      alone = false;
    }
    if (alone) {
      use_text(text_.substr(start, end - start));
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
  const UseWords& use_;
  std::size_t position_ = 0;
  std::optional<std::size_t> divided_from_;  // where the run of letters was first divided
  boost::container::static_vector<WordKey, Piece::size> words_;
  std::string word_;  // begun
};

}  // namespace

void read_words(std::string_view text, Identifiers identifiers, const UseWords& use) {
  Splitter(text, identifiers, use).run();
}

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "ISO_8859_1")) {}

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
