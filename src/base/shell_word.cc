#include "base/shell_word.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::text {

std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') ||
           std::string_view("_-./:@%+,=").find(byte) != std::string_view::npos;
  });
  return is_plain ? std::string(word) : "'" + replace_all(word, "'", "'\\''") + "'";
}

}  // namespace pi_mcp::text
