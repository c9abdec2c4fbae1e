#include "json/document.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <boost/container/small_vector.hpp>

#include "base/ascii.h"
#include "base/text.h"
#include "json/failure.h"

namespace pi_mcp::json {
namespace {

// run_ends(): which bytes of the block at `p` end a run of plain ASCII inside a string, being a
// quote, a backslash, a control character or not ASCII; 0 for none. first_end(): where the first of
// them is.
#if defined(__SSE2__)
#define PI_MCP_JSON_BLOCKS
constexpr std::ptrdiff_t block_bytes = 16;
[[gnu::always_inline]] inline unsigned run_ends(const char* p) {
  const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  // The signed compare finds control characters and every byte from 0x80 up.
  const __m128i ends = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                 _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                                    _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)));
  return static_cast<unsigned>(_mm_movemask_epi8(ends));
}
[[gnu::always_inline]] inline int first_end(unsigned ends) {
  return std::countr_zero(ends);
}
#elif defined(__ARM_NEON)
#define PI_MCP_JSON_BLOCKS
constexpr std::ptrdiff_t block_bytes = 16;
[[gnu::always_inline]] inline std::uint64_t run_ends(const char* p) {
  const uint8x16_t block = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
  const uint8x16_t ends =
      vorrq_u8(vorrq_u8(vceqq_u8(block, vdupq_n_u8('"')), vceqq_u8(block, vdupq_n_u8('\\'))),
               vcltq_s8(vreinterpretq_s8_u8(block), vdupq_n_s8(0x20)));
  // Four bits are left of each byte: there is no movemask.
  return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(ends), 4)), 0);
}
[[gnu::always_inline]] inline int first_end(std::uint64_t ends) {
  return std::countr_zero(ends) / 4;
}
#endif

// The first byte that ends such a run.
[[gnu::always_inline]] inline const char* plain_run_end(const char* p, const char* end) {
#if defined(PI_MCP_JSON_BLOCKS)
  for (; end - p >= block_bytes; p += block_bytes) {
    if (const auto ends = run_ends(p); ends != 0) {
      return p + first_end(ends);
    }
  }
#endif
  while (p < end && *p != '"' && *p != '\\' && static_cast<signed char>(*p) >= 0x20) {
    ++p;
  }
  return p;
}

// Iterative, so that depth costs heap and not stack.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Node>& nodes, ParseOptions options)
      : begin_(text.data()),
        p_(text.data()),
        end_(text.data() + text.size()),
        nodes_(nodes),
        options_(options) {}

  bool run() {
    skip_space();
    Step step = Step::value;
    do {
      // One turn for each element or member: its name if it has one, itself, what follows it.
      if (step == Step::key) {
        step = key();
      }
      if (step == Step::value) {
        step = value();
      }
      if (step == Step::after_value) {
        step = after_value();
      }
    } while (step != Step::done && step != Step::failed);
    return step == Step::done;
  }

  [[nodiscard]] std::string_view reason() const { return reason_; }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }

 private:
  enum class Step : std::uint8_t { value, key, after_value, done, failed };

  bool error(std::string_view reason) {
    reason_ = reason;
    return false;
  }
  Step fail_step(std::string_view reason) {
    error(reason);
    return Step::failed;
  }
  [[nodiscard]] std::uint32_t offset_of(const char* p) const {
    return static_cast<std::uint32_t>(p - begin_);
  }
  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(nodes_.size());
  }
  [[nodiscard]] bool at(char c) const { return p_ < end_ && *p_ == c; }
  bool take(char c) {
    const bool is_there = at(c);
    p_ += is_there ? 1 : 0;
    return is_there;
  }

  // Most messages have none.
  [[gnu::always_inline]] void skip_space() {
    if (p_ < end_ && (*p_ <= ' ' || *p_ == '/')) {
      skip_some_space();
    }
  }
  [[gnu::noinline]] void skip_some_space() {
    while (p_ < end_) {
      if (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t') {
        ++p_;
      } else if (options_.syntax != Syntax::jsonc || !skip_comment()) {
        return;
      }
    }
  }

  bool skip_comment() {
    const std::size_t behind = behind_comment({begin_, end_}, position());
    const bool is_there = behind != position();
    p_ = begin_ + behind;
    return is_there;
  }

  Step value() {
    if (p_ >= end_) {
      return fail_step("unexpected end of text, expected a value");
    }
    if (*p_ == '{' || *p_ == '[') {
      return open();
    }
    return scalar() ? Step::after_value : Step::failed;
  }

  Step open() {
    if (open_.size() >= options_.depth_max) {
      return fail_step("nested deeper than " + std::to_string(options_.depth_max) + " levels");
    }
    const Kind kind = *p_ == '{' ? Kind::object : Kind::array;
    open_.push_back(node_count());
    nodes_.push_back({offset_of(p_), 0, 0, kind, false});
    ++p_;
    skip_space();
    if (at(closing(kind))) {
      close();
      return Step::after_value;
    }
    return kind == Kind::object ? Step::key : Step::value;
  }

  static char closing(Kind kind) { return kind == Kind::object ? '}' : ']'; }

  [[gnu::always_inline]] void close() {
    Node& node = nodes_[open_.back()];
    ++p_;
    node.length = offset_of(p_) - node.offset;
    node.next = node_count();
    open_.pop_back();
  }

  Step key() {
    if (!at('"')) {
      return fail_step("expected a member name in double quotes");
    }
    if (!short_string() && !string()) {
      return Step::failed;
    }
    skip_space();
    if (!take(':')) {
      return fail_step("expected ':' after the member name");
    }
    skip_space();
    return Step::value;
  }

  Step after_value() {
    skip_space();
    if (open_.empty()) {
      return p_ == end_ ? Step::done : fail_step("unexpected text after the value");
    }
    const Kind kind = nodes_[open_.back()].kind;
    if (take(',')) {
      skip_space();
      const bool trailing = options_.syntax == Syntax::jsonc && at(closing(kind));
      if (!trailing) {
        return kind == Kind::object ? Step::key : Step::value;
      }
    }
    if (!at(closing(kind))) {
      return fail_step(kind == Kind::object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    close();
    return Step::after_value;
  }

  bool scalar() {
    switch (*p_) {
      case '"':
        return short_string() || string();
      case 't':
        return literal("true", Kind::boolean);
      case 'f':
        return literal("false", Kind::boolean);
      case 'n':
        return literal("null", Kind::null);
      default:
        return number();
    }
  }

  [[gnu::always_inline]] void add(const char* first, Kind kind, bool escaped) {
    nodes_.push_back({offset_of(first),
                      static_cast<std::uint32_t>(p_ - first),
                      node_count() + 1,
                      kind,
                      escaped});
  }

  bool literal(std::string_view word, Kind kind) {
    if (!std::string_view(p_, static_cast<std::size_t>(end_ - p_)).starts_with(word)) {
      return error("expected a value");
    }
    const char* first = p_;
    p_ += word.size();
    add(first, kind, false);
    return true;
  }

  bool digits() {
    const char* first = p_;
    while (p_ < end_ && ascii::is_digit(*p_)) {
      ++p_;
    }
    return p_ != first || error("expected a digit");
  }

  bool number() {
    const char* first = p_;
    take('-');
    if (p_ >= end_ || !ascii::is_digit(*p_)) {
      return error(p_ == first ? "expected a value" : "expected a digit");
    }
    if ((!take('0') && !digits()) || (take('.') && !digits())) {
      return false;
    }
    if (take('e') || take('E')) {
      if (!take('+')) {
        take('-');
      }
      if (!digits()) {
        return false;
      }
    }
    add(first, Kind::number, false);
    return true;
  }

  // The whole of a string that is short and plain, as names are; else false, and nothing was read.
  [[gnu::always_inline]] bool short_string() {
#if defined(PI_MCP_JSON_BLOCKS)
    if (end_ - p_ <= block_bytes) {
      return false;
    }
    const char* first = p_ + 1;
    const auto ends = run_ends(first);
    if (ends == 0 || first[first_end(ends)] != '"') {
      return false;
    }
    p_ = first + first_end(ends);
    add(first, Kind::string, false);
    ++p_;
    return true;
#else
    return false;
#endif
  }

  bool string() {
    const char* first = ++p_;
    bool escaped = false;
    for (;;) {
      p_ = plain_run_end(p_, end_);
      if (p_ >= end_) {
        return error("unterminated string");
      }
      if (*p_ == '"') {
        add(first, Kind::string, escaped);
        ++p_;
        return true;
      }
      if (*p_ == '\\') {
        escaped = true;
        if (!escape()) {
          return false;
        }
      } else if (static_cast<signed char>(*p_) >= 0) {
        return error("control character in a string");
      } else if (const std::size_t run = text::non_ascii_run({p_, end_}); run != 0) {
        p_ += run;
      } else {
        return error("invalid UTF-8");
      }
    }
  }

  bool escape() {
    if (end_ - p_ < 2) {
      return error("unterminated string");
    }
    if (p_[1] == 'u') {
      const bool complete = end_ - p_ >= 6 && std::all_of(p_ + 2, p_ + 6, ascii::is_hex_digit);
      p_ += complete ? 6 : 0;
      return complete || error("expected four hexadecimal digits after \\u");
    }
    if (std::strchr("\"\\/bfnrt", p_[1]) == nullptr || p_[1] == '\0') {
      return error("unknown escape in a string");
    }
    p_ += 2;
    return true;
  }

  const char* begin_;
  const char* p_;
  const char* end_;
  std::vector<Node>& nodes_;
  ParseOptions options_;
  // Indices of the containers around p_.
  boost::container::small_vector<std::uint32_t, 16> open_;
  std::string reason_;
};

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n');
  return {.line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
          .column = offset - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1};
}

}  // namespace

std::size_t behind_comment(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset);
  if (rest.starts_with("//")) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    return offset + length - (rest.substr(0, length).ends_with('\r') ? 1 : 0);
  }
  const std::size_t close = rest.starts_with("/*") ? rest.find("*/", 2) : std::string_view::npos;
  return close == std::string_view::npos ? offset : offset + close + 2;
}

std::string position_text(std::string_view text, std::size_t offset) {
  const Position at = position_of(text, offset);
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

Position failure_position(std::string_view text, ParseOptions options) {
  std::vector<Node> nodes;
  Parser parser(text, nodes, options);
  return text.size() > options.bytes_max || parser.run() ? Position()
                                                         : position_of(text, parser.position());
}

Result<Document> Document::parse(SharedText text, ParseOptions options) {
  Document document;
  if (Result<void> assigned = document.assign(std::move(text), options); !assigned) {
    return fail(std::move(assigned).error());
  }
  return document;
}

Result<void> Document::assign(SharedText text, ParseOptions options) {
  nodes_.clear();
  text_ = SharedText();
  const std::string_view view = text.view();
  const std::size_t bytes_max =
      std::min<std::size_t>(options.bytes_max, std::numeric_limits<std::uint32_t>::max());
  if (view.size() > bytes_max) {
    return fail(ErrorCode::invalid_argument,
                "the text has " + text::size_text(view.size()) + ", the limit is " +
                    text::size_text(bytes_max));
  }
  // Enough for most messages, little for those that are one long string.
  constexpr std::size_t nodes_first = 64;
  constexpr std::size_t bytes_per_node = 4;
  nodes_.reserve(std::min(nodes_first, view.size() / bytes_per_node + 1));
  Parser parser(view, nodes_, options);
  if (!parser.run()) {
    nodes_.clear();
    return fail(ErrorCode::invalid_argument,
                position_text(view, parser.position()) + ": " + std::string(parser.reason()));
  }
  text_ = std::move(text);
  return {};
}

Value Document::root() const {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): the nodes know where the text ends
  return nodes_.empty() ? Value() : Value(text_.view().data(), nodes_.data(), 0);
}

SharedText Document::share(Value value) const {
  return value ? text_.sub(value.offset(), value.raw().size()) : SharedText();
}

}  // namespace pi_mcp::json
