#include "json/text_pieces.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace pi_mcp::json {
namespace {

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

constexpr std::size_t short_escape = 2;    // \n
constexpr std::size_t unicode_escape = 6;  // \u00e9

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The length of the escape at the beginning of `text`; both halves of a surrogate pair count as
// one.
std::size_t escape_length(std::string_view text) {
  if (!text.starts_with("\\u")) {
    return short_escape;
  }
  const std::string_view second = text.substr(std::min(unicode_escape, text.size()));
  return second.starts_with("\\u") ? 2 * unicode_escape : unicode_escape;
}

// Where the piece at the beginning of `text` ends: behind `wanted` bytes or a little more.
std::size_t piece_end(std::string_view text, std::size_t wanted) {
  std::size_t at = 0;
  while (at < wanted && at < text.size()) {
    const std::size_t escape = text.substr(0, wanted).find('\\', at);
    if (escape == std::string_view::npos) {
      at = wanted;
    } else {
      at = escape + escape_length(text.substr(escape));
    }
  }
  while (at < text.size() && continues_code_point(text[at])) {
    ++at;
  }
  return std::min(at, text.size());
}

}  // namespace

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

void for_each_piece(Value text, const TextSink& sink, std::size_t piece_bytes) {
  if (!text.is_string()) {
    return;
  }
  std::string_view rest = text.raw();
  rest = rest.substr(1, rest.size() - 2);  // without its quotes
  std::string decoded;
  while (!rest.empty()) {
    const std::size_t end = piece_end(rest, std::max<std::size_t>(piece_bytes, 1));
    const std::string_view piece = rest.substr(0, end);
    if (piece.find('\\') == std::string_view::npos) {
      sink(piece);
    } else {
      decoded.clear();
      append_decoded(decoded, piece);
      sink(decoded);
    }
    rest.remove_prefix(end);
  }
}

}  // namespace pi_mcp::json
