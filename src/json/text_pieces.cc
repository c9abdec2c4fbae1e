#include "json/text_pieces.h"

#include <algorithm>
#include <string>

namespace pi_mcp::json {
namespace {

constexpr std::size_t short_escape = 2;    // \n
constexpr std::size_t unicode_escape = 6;  // \u00e9

bool continues_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Of the escape at the beginning of `text`; both halves of a surrogate pair count as one.
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
