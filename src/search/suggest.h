// Names that a mistyped name may have meant. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "search/document.h"
#include "search/text_index.h"

namespace pi_mcp::search {

struct SuggestScope {
  std::string_view group;  // empty: all documents
  std::size_t count = 0;   // at most so many names
};

std::vector<std::string> suggest_names(const std::vector<Document>& documents,
                                       const TextIndex& index,
                                       std::string_view wrong_name,
                                       SuggestScope scope);

}  // namespace pi_mcp::search
