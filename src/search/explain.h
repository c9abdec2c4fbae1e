// A score's breakdown in words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/query_terms.h"
#include "search/scorer.h"

namespace pi_mcp::search {

// A line for each word that counted, then what was done with their sum.
std::vector<std::string> explanation(const Breakdown& breakdown,
                                     const std::vector<QueryTerm>& terms,
                                     const Vocabulary& vocabulary,
                                     const TermIndex& index,
                                     std::size_t document);

}  // namespace pi_mcp::search
