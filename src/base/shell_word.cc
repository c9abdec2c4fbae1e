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

std::optional<std::vector<std::string>> plain_words(std::string_view line) {
  if (line.find_first_of("'\"\\`|&;<>()*?#\n") != std::string_view::npos ||
      line.find("$(") != std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::string> words;
  for (const std::string_view word : text::words(line)) {
    words.emplace_back(word);
  }
  return words;
}

}  // namespace pi_mcp::text
