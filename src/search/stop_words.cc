#include "search/stop_words.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "search/tables.h"

namespace pi_mcp::search {

bool is_stop_word(std::string_view word) {
  static const std::vector<std::string_view> sorted = [] {
    std::vector<std::string_view> words = text::words(stop_words);
    std::ranges::sort(words);
    return words;
  }();
  return std::ranges::binary_search(sorted, word);
}

}  // namespace pi_mcp::search
