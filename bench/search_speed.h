// How fast large catalogs are ready for a search and searched.
#pragma once

#include <vector>

#include "search_sets.h"

namespace bench {

// A Markdown table: processor time of one core, so that a busy machine does not show; and memory.
void print_speed(const std::vector<SearchSet>& sets);

}  // namespace bench
