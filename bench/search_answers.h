// What an agent reads on its way to a call, query by query, for bench/search_tokens.mjs to count.
#pragma once

#include <vector>

#include "search_sets.h"

namespace bench {

// One JSON object a line. First, for each set, {"set", "catalog": the list of all tools as a server
// gives it}; then for each query {"set", "leak", "reached", "answers": the pages of a search until
// every need is met, "describes": what describe shows of the right tools whose parameters were cut,
// "whole": the same pages with descriptions and parameters in full}.
void print_answers(const std::vector<SearchSet>& sets);

}  // namespace bench
