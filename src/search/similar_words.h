// Words that a mistyped or unfinished word may have meant. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "search/vocabulary.h"

namespace pi_mcp::search {

struct SimilarWords {
  std::vector<TermId> terms;  // each once
  // True: they differ from the word by a letter or two, none nearer than the others. False: they
  // begin with it, or it with them.
  bool close = false;
};

// None for words of under four letters and for other than ASCII letters. Reads all words.
SimilarWords similar_words(const Vocabulary& vocabulary, std::string_view word);

}  // namespace pi_mcp::search
