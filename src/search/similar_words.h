// Words that a mistyped or unfinished word may have meant. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "search/vocabulary.h"

namespace pi_mcp::search {

struct SimilarWords {
  std::vector<TermId> terms;  // some more than once
  // True: they differ from the word by a letter or two, none nearer than the others. False: they
  // begin with it, or it with them.
  bool close = false;
};

// None for words of under four letters, so none in scripts that are read in pairs of characters,
// and for words with digits. Reads all words.
SimilarWords similar_words(const Vocabulary& vocabulary, std::string_view word);

}  // namespace pi_mcp::search
