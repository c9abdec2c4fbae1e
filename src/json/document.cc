#include "json/document.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <boost/container/small_vector.hpp>

#include "base/text.h"

namespace pi_mcp::json {
namespace {

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Length of the well-formed multi-byte sequence at `s`, or 0 (Unicode 15, table 3-7).
std::size_t utf8_sequence(const unsigned char* s, std::size_t left) {
  if (s[0] >= 0xC2 && s[0] <= 0xDF) {
    return left > 1 && is_continuation(s[1]) ? 2 : 0;
  }
  if ((s[0] & 0xF0U) == 0xE0U) {
    const bool shape = left > 2 && is_continuation(s[1]) && is_continuation(s[2]);
    const bool overlong = shape && s[0] == 0xE0 && s[1] < 0xA0;
    const bool surrogate = shape && s[0] == 0xED && s[1] >= 0xA0;
    return shape && !overlong && !surrogate ? 3 : 0;
  }
  if (s[0] >= 0xF0 && s[0] <= 0xF4) {
    const bool shape =
        left > 3 && is_continuation(s[1]) && is_continuation(s[2]) && is_continuation(s[3]);
    const bool overlong = shape && s[0] == 0xF0 && s[1] < 0x90;
    const bool beyond = shape && s[0] == 0xF4 && s[1] >= 0x90;
    return shape && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// First byte that ends a run of plain ASCII inside a string: quote, backslash, control or
// non-ASCII.
[[gnu::always_inline]] inline const char* plain_run_end(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(0x20);
  while (end - p >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // The signed compare finds control characters and every byte from 0x80 up.
    const __m128i stop =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmplt_epi8(block, space));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) {
      return p + std::countr_zero(mask);
    }
    p += 16;
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

  // An unterminated block comment is left in place, where it is then reported.
  bool skip_comment() {
    if (end_ - p_ < 2 || p_[0] != '/') {
      return false;
    }
    const std::string_view rest(p_ + 2, static_cast<std::size_t>(end_ - p_) - 2);
    if (p_[1] == '/') {
      const std::size_t line_end = rest.find('\n');
      p_ = line_end == std::string_view::npos ? end_ : p_ + 2 + line_end;
      return true;
    }
    const std::size_t comment_end = rest.find("*/");
    if (p_[1] != '*' || comment_end == std::string_view::npos) {
      return false;
    }
    p_ += 2 + comment_end + 2;
    return true;
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
      return fail_step("nested too deeply");
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
    if (!at(':')) {
      return fail_step("expected ':' after the member name");
    }
    ++p_;
    skip_space();
    return Step::value;
  }

  Step after_value() {
    skip_space();
    if (open_.empty()) {
      return p_ == end_ ? Step::done : fail_step("unexpected text after the value");
    }
    const Kind kind = nodes_[open_.back()].kind;
    if (at(',')) {
      ++p_;
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
    while (p_ < end_ && is_digit(*p_)) {
      ++p_;
    }
    return p_ != first || error("expected a digit");
  }

  bool number() {
    const char* first = p_;
    if (*p_ == '-') {
      ++p_;
    }
    if (p_ >= end_ || !is_digit(*p_)) {
      return error(p_ == first ? "expected a value" : "expected a digit");
    }
    if (*p_ == '0') {
      ++p_;
    } else if (!digits()) {
      return false;
    }
    if (at('.')) {
      ++p_;
      if (!digits()) {
        return false;
      }
    }
    if (at('e') || at('E')) {
      ++p_;
      if (at('+') || at('-')) {
        ++p_;
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
#if defined(__SSE2__)
    constexpr std::ptrdiff_t block_bytes = 16;
    if (end_ - p_ <= block_bytes) {
      return false;
    }
    const char* first = p_ + 1;
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(first));
    const __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                                   _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                                      _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask == 0 || first[std::countr_zero(mask)] != '"') {
      return false;
    }
    p_ = first + std::countr_zero(mask);
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
      } else if (!multi_byte_run()) {
        return error("invalid UTF-8");
      }
    }
  }

  bool escape() {
    if (end_ - p_ < 2) {
      return error("unterminated string");
    }
    if (p_[1] == 'u') {
      const bool complete = end_ - p_ >= 6 && std::all_of(p_ + 2, p_ + 6, is_hex);
      p_ += complete ? 6 : 0;
      return complete || error("expected four hexadecimal digits after \\u");
    }
    if (std::strchr("\"\\/bfnrt", p_[1]) == nullptr || p_[1] == '\0') {
      return error("unknown escape in a string");
    }
    p_ += 2;
    return true;
  }

  bool multi_byte_run() {
    while (p_ < end_ && static_cast<signed char>(*p_) < 0) {
      const std::size_t length = utf8_sequence(reinterpret_cast<const unsigned char*>(p_),
                                               static_cast<std::size_t>(end_ - p_));
      if (length == 0) {
        return false;
      }
      p_ += length;
    }
    return true;
  }

  const char* begin_;
  const char* p_;
  const char* end_;
  std::vector<Node>& nodes_;
  ParseOptions options_;
  // Indices of the containers around p_.
  boost::container::small_vector<std::uint32_t, 16> open_;
  std::string_view reason_;
};

// Of a number outside the range of a double: too small to represent, not too large.
bool is_tiny(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    return digits[exponent + 1] == '-';
  }
  return digits.starts_with("0.") || digits.starts_with("-0.");
}

char32_t hex_value(std::string_view four) {
  unsigned value = 0;
  std::from_chars(four.data(), four.data() + four.size(), value, 16);
  return value;
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;  // quote, backslash, slash
  }
}

bool is_high_surrogate(char32_t c) {
  return c >= 0xD800 && c <= 0xDBFF;
}

bool is_low_surrogate(char32_t c) {
  return c >= 0xDC00 && c <= 0xDFFF;
}

// Appends the code point of the \uXXXX at `rest` and says how many bytes it took.
std::size_t append_unicode_escape(std::string& out, std::string_view rest) {
  const char32_t unit = hex_value(rest.substr(2, 4));
  if (is_high_surrogate(unit) && rest.size() >= 12 && rest.substr(6, 2) == "\\u") {
    const char32_t low = hex_value(rest.substr(8, 4));
    if (is_low_surrogate(low)) {
      text::append_utf8(out, 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00));
      return 12;
    }
  }
  const bool lone = is_high_surrogate(unit) || is_low_surrogate(unit);
  text::append_utf8(out, lone ? U'\uFFFD' : unit);
  return 6;
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, 6> names = {
      "null", "boolean", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(kind)];
}

void append_decoded(std::string& out, std::string_view escaped) {
  for (;;) {
    const std::size_t backslash = escaped.find('\\');
    out += escaped.substr(0, backslash);
    if (backslash == std::string_view::npos) {
      return;
    }
    escaped.remove_prefix(backslash);
    if (escaped[1] == 'u') {
      escaped.remove_prefix(append_unicode_escape(out, escaped));
    } else {
      out += simple_escape(escaped[1]);
      escaped.remove_prefix(2);
    }
  }
}

std::string position_text(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column =
      offset - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
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

std::optional<std::string> Value::as_string() const {
  if (!is_string()) {
    return std::nullopt;
  }
  const std::string_view inside(text_ + node().offset, node().length);
  if (!node().escaped) {
    return std::string(inside);
  }
  std::string decoded;
  decoded.reserve(inside.size());
  append_decoded(decoded, inside);
  return decoded;
}

std::string Value::string_or(std::string_view fallback) const {
  std::optional<std::string> decoded = as_string();
  return decoded ? *std::move(decoded) : std::string(fallback);
}

bool Value::equals(std::string_view text) const {
  if (!exists()) {
    return false;
  }
  const Node& here = node();
  if (here.kind != Kind::string) {
    return false;
  }
  return here.escaped ? as_string() == text
                      : here.length == text.size() &&
                            std::memcmp(text_ + here.offset, text.data(), text.size()) == 0;
}

std::optional<bool> Value::as_bool() const {
  if (!is(Kind::boolean)) {
    return std::nullopt;
  }
  return raw() == "true";
}

std::optional<double> Value::as_double() const {
  if (!is(Kind::number)) {
    return std::nullopt;
  }
  const std::string_view digits = raw();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    return is_tiny(digits) ? std::optional(0.0) : std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> Value::as_int() const {
  if (!is(Kind::number)) {
    return std::nullopt;
  }
  const std::string_view digits = raw();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) {
    return value;
  }
  const std::optional<double> number = as_double();
  // Doubles represent every integer up to 2^53; beyond that the fraction is gone anyway.
  constexpr double exact_max = 9007199254740992.0;
  if (!number || std::trunc(*number) != *number || std::abs(*number) > exact_max) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::size_t Value::size() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const Value element : elements()) {
    ++count;
  }
  for ([[maybe_unused]] const Member member : members()) {
    ++count;
  }
  return count;
}

Value Value::find(std::string_view name) const {
  if (!is_object()) {
    return {};
  }
  // 0: none; the index of a member's value is never that.
  std::uint32_t found = 0;
  const std::uint32_t end = node().next;
  for (std::uint32_t key = index_ + 1; key < end; key = nodes_[key + 1].next) {
    const Node& node = nodes_[key];
    const bool same = node.escaped
                          ? Value(text_, nodes_, key).equals(name)
                          : node.length == name.size() &&
                                std::memcmp(text_ + node.offset, name.data(), name.size()) == 0;
    found = same ? key + 1 : found;
  }
  return found == 0 ? Value() : Value(text_, nodes_, found);
}

Value Value::at(std::initializer_list<std::string_view> path) const {
  Value value = *this;
  for (const std::string_view name : path) {
    value = value.find(name);
  }
  return value;
}

Value Value::element(std::size_t index) const {
  for (const Value value : elements()) {
    if (index-- == 0) {
      return value;
    }
  }
  return {};
}

}  // namespace pi_mcp::json
