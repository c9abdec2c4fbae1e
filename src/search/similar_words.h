// Words that a mistyped or differently inflected word may have meant. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "search/text_index.h"

namespace pi_mcp::search {

// At most one letter is missing, added, different, or swapped with its neighbour.
bool differs_by_one_edit(std::string_view a, std::string_view b);

// Words of the index that differ by one edit, or share so long a beginning that they are likely
// forms of one word ("creating", "creation"). None for words of under four letters and for scripts
// other than ASCII. Reads the whole vocabulary.
std::vector<TextIndex::Word> similar_words(const TextIndex& index, std::string_view word);

}  // namespace pi_mcp::search
