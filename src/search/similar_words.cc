#include "search/similar_words.h"

#include <algorithm>

namespace pi_mcp::search {
namespace {

// In a shorter word one letter is too much of it.
constexpr std::size_t length_min = 4;

std::size_t common_start(std::string_view a, std::string_view b) {
  const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

// Enough of the longer word to be its stem: three fifths.
bool shares_stem(std::string_view a, std::string_view b) {
  const std::size_t common = common_start(a, b);
  return common >= length_min && common * 5 >= std::max(a.size(), b.size()) * 3;
}

}  // namespace

bool differs_by_one_edit(std::string_view a, std::string_view b) {
  const std::size_t start = common_start(a, b);
  a.remove_prefix(start);
  b.remove_prefix(start);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const bool swapped = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return swapped || (a.size() <= 1 && b.size() <= 1);
}

std::vector<TextIndex::Word> similar_words(const TextIndex& index, std::string_view word) {
  std::vector<TextIndex::Word> similar;
  const bool ascii = std::all_of(
      word.begin(), word.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (!ascii || word.size() < length_min) {
    return similar;
  }
  for (TextIndex::Word candidate = 0; candidate < index.words(); ++candidate) {
    const std::string_view text = index.word(candidate);
    if (differs_by_one_edit(word, text) || shares_stem(word, text)) {
      similar.push_back(candidate);
    }
  }
  return similar;
}

}  // namespace pi_mcp::search
