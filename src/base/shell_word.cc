#include "base/shell_word.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::text {

std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return ascii::is_alphanumeric_or(c, "_-./:@%+,=");
  });
  return is_plain ? std::string(word) : "'" + replace_all(word, "'", "'\\''") + "'";
}

}  // namespace pi_mcp::text
