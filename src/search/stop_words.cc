#include "search/stop_words.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "search/tables.h"

namespace pi_mcp::search {
namespace {

std::vector<std::string_view> sorted_words(std::string_view table) {
  std::vector<std::string_view> words = text::words(table);
  std::ranges::sort(words);
  return words;
}

}  // namespace

bool is_stop_word(std::string_view word) {
  static const std::vector<std::string_view> sorted = sorted_words(stop_words);
  return std::ranges::binary_search(sorted, word);
}

bool is_polite_word(std::string_view word) {
  static const std::vector<std::string_view> sorted = sorted_words(polite_words);
  return std::ranges::binary_search(sorted, word);
}

}  // namespace pi_mcp::search
