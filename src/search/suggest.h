// Names that a mistyped name may have meant. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "search/document.h"

namespace pi_mcp::search {

struct SuggestScope {
  std::string_view group;  // empty: all documents
  std::size_t count = 0;   // at most so many names
};

// A document that the words of a name find.
struct FoundByWords {
  std::size_t document = 0;
  bool whole = false;  // it has all of them, and not only in its group's name
};

// `by_words` finds documents of the scope by words of their name or description, best first.
std::vector<std::string> suggest_names(
    const std::vector<const Document*>& documents,
    std::string_view wrong_name,
    SuggestScope scope,
    const std::function<std::vector<FoundByWords>(std::string_view)>& by_words);

}  // namespace pi_mcp::search
