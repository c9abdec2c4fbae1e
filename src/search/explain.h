// A score's breakdown in words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/concepts.h"
#include "search/scorer.h"

namespace pi_mcp::search {

// A line for each word that counted, then what was done with their sum.
std::vector<std::string> explanation(const Breakdown& breakdown,
                                     const std::vector<Concept>& concepts,
                                     const Vocabulary& vocabulary,
                                     const TermIndex& index,
                                     std::size_t document);

}  // namespace pi_mcp::search
