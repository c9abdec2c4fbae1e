#include "search/terms.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

constexpr char case_bit = 'a' - 'A';

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

// What the bytes of a block of text are, a bit for each, the first byte lowest.
struct BlockKinds {
  std::uint64_t letters = 0;  // ASCII letters and digits
  std::uint64_t upper = 0;    // those of them in upper case
  std::uint64_t other = 0;    // not ASCII
};
constexpr std::size_t block_size = 64;
static_assert(block_size <= WordList::padding);

// Writes the letters of the block in lower case.
BlockKinds read_block(char* bytes) {
  BlockKinds kinds;
#if defined(__SSE2__)
  for (unsigned part = 0; part < block_size; part += sizeof(__m128i)) {
    auto* const place = reinterpret_cast<__m128i*>(bytes + part);
    const __m128i block = _mm_loadu_si128(place);
    // Signed compares: bytes from 0x80 up are below every letter.
    const auto between = [&block](char first, char last) {
      return _mm_and_si128(_mm_cmpgt_epi8(block, _mm_set1_epi8(static_cast<char>(first - 1))),
                           _mm_cmplt_epi8(block, _mm_set1_epi8(static_cast<char>(last + 1))));
    };
    const auto bits = [part](__m128i each) {
      return std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(each))} << part;
    };
    const __m128i upper = between('A', 'Z');
    const __m128i rest = _mm_or_si128(between('a', 'z'), between('0', '9'));
    kinds.letters |= bits(_mm_or_si128(upper, rest));
    kinds.upper |= bits(upper);
    kinds.other |= bits(block);
    _mm_storeu_si128(place, _mm_or_si128(block, _mm_and_si128(upper, _mm_set1_epi8(case_bit))));
  }
#else
  for (std::size_t i = 0; i < block_size; ++i) {
    const char c = bytes[i];
    const bool upper = is_ascii_upper(c);
    kinds.letters |= std::uint64_t{upper || is_ascii_lower(c) || is_ascii_digit(c)} << i;
    kinds.upper |= std::uint64_t{upper} << i;
    kinds.other |= std::uint64_t{static_cast<signed char>(c) < 0} << i;
    bytes[i] = static_cast<char>(upper ? c | case_bit : c);
  }
#endif
  return kinds;
}

class Splitter {
 public:
  Splitter(std::string_view text, Identifiers identifiers, WordList& words)
      : text_(text), divide_(identifiers == Identifiers::divided), words_(words) {}

  // Looks at whole blocks: words are short, and a loop that ends somewhere else each time costs
  // more than what is in it.
  void run() {
    words_.start(text_);
    while (position_ < text_.size()) {
      const BlockKinds kinds = kinds_from(position_);
      const auto gap = static_cast<std::size_t>(std::countr_zero(kinds.letters | kinds.other));
      if (gap > 0) {
        words_.end_word();
        position_ += std::min(gap, block_size - position_ % block_size);
      } else if ((kinds.other & 1U) != 0) {
        other();
      } else {
        take(run_of(kinds));
      }
    }
    words_.end_word();
  }

 private:
  // ASCII letters and digits from position_ on.
  struct Run {
    std::size_t size;
    bool upper_inside;  // behind the first one
  };

  // Of the rest of the block that has this position, which comes lowest. Never goes back: the block
  // before is written in lower case.
  BlockKinds kinds_from(std::size_t position) {
    if (position / block_size != block_) {
      block_ = position / block_size;
      kinds_ = read_block(words_.letters() + block_ * block_size);
    }
    const std::size_t passed = position % block_size;
    return {.letters = kinds_.letters >> passed,
            .upper = kinds_.upper >> passed,
            .other = kinds_.other >> passed};
  }

  // `kinds`: kinds_from(position_).
  Run run_of(BlockKinds kinds) {
    Run run{};
    kinds.upper &= ~std::uint64_t{1};
    for (;;) {
      const auto size = static_cast<std::size_t>(std::countr_one(kinds.letters));
      run.upper_inside |= std::countr_zero(kinds.upper) < static_cast<int>(size);
      run.size += size;
      const std::size_t end = position_ + run.size;
      if (size == 0 || end % block_size != 0 || end >= text_.size()) {
        return run;
      }
      kinds = kinds_from(end);
    }
  }

  [[nodiscard]] bool is_ascii(std::size_t position) const {
    return static_cast<signed char>(text_[position]) >= 0;
  }

  void take(const Run& run) {
    const std::size_t end = position_ + run.size;
    if (words_.in_word() || (end < text_.size() && !is_ascii(end))) {
      join(end);
      return;
    }
    if (run.upper_inside) {
      divide(end);
    } else {
      words_.add_piece(position_, run.size);
    }
    position_ = end + 1;  // a separator, or the end
  }

  // Letters that may belong together with others than ASCII beside them.
  void join(std::size_t end) {
    for (; position_ < end; ++position_) {
      if (divide_ && starts_word(position_)) {
        words_.end_word();
      }
      words_.add(words_.letters()[position_]);
    }
  }

  void divide(std::size_t end) {
    std::size_t start = position_;
    for (std::size_t i = start + 1; i < end; ++i) {
      if (divide_ && starts_word(i)) {
        words_.add_piece(start, i - start);
        start = i;
      }
    }
    words_.add_piece(start, end - start);
  }

  // "userID": the I. "HTTPServer": the S.
  [[nodiscard]] bool starts_word(std::size_t position) const {
    if (position == 0 || !is_ascii_upper(text_[position])) {
      return false;
    }
    const char before = text_[position - 1];
    const bool lower_follows = position + 1 < text_.size() && is_ascii_lower(text_[position + 1]);
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
  std::size_t block_ = std::numeric_limits<std::size_t>::max();  // the number of that of kinds_
  BlockKinds kinds_;
};

}  // namespace

WordEnds ends_of(std::string_view word) {
  std::array<char, sizeof(std::uint64_t)> first{};
  std::copy_n(word.begin(), std::min(word.size(), first.size()), first.begin());
  const std::uint64_t number = eight_bytes(first.data());
  return {.first = number,
          .last = word.size() < first.size()
                      ? number
                      : eight_bytes(word.data() + word.size() - first.size())};
}

void WordList::start(std::string_view text) {
  letters_ = text;
  letters_.append(padding, '\0');
  ended_ = static_cast<std::uint32_t>(letters_.size());
  words_.clear();
}

void WordList::take_word() {
  words_.push_back({.ends = ends_of(std::string_view(letters_).substr(ended_)),
                    .start = ended_,
                    .size = static_cast<std::uint32_t>(letters_.size()) - ended_});
  ended_ = static_cast<std::uint32_t>(letters_.size());
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
