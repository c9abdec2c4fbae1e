// The scores of all documents for one query: the rules of the reference adapter (docs/search.md),
// worked out word by word instead of document by document. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/document.h"
#include "search/ranker.h"
#include "search/text_index.h"

namespace pi_mcp::search {

enum class Keywords : std::uint8_t { used, ignored };

struct Scope {
  std::string_view group;  // empty: all documents
  Keywords keywords = Keywords::used;
};

Ranking rank_documents(const std::vector<Document>& documents,
                       const TextIndex& index,
                       std::string_view query,
                       Scope scope);

}  // namespace pi_mcp::search
