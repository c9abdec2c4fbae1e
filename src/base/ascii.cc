#include "base/ascii.h"

#include <charconv>

namespace pi_mcp::ascii {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    const bool complete = text[i] == '%' && text.size() - i > 2 &&
                          std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += complete ? static_cast<char>(byte) : text[i];
    i += complete ? 2 : 0;
  }
  return out;
}

std::optional<std::string> hex_decoded(std::string_view text) {
  if (text.size() % 2 != 0) {
    return std::nullopt;
  }
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const char* digits = text.data() + i;
    if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return std::nullopt;
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace pi_mcp::ascii
