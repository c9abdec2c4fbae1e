// A small general thesaurus of what tools do and with what: "remove" finds a tool that deletes,
// "pizza" one for food, "cp" one that copies. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace pi_mcp::search {

struct Synonym {
  std::string_view word;      // a whole word, not a stem; lives as long as the program
  float likeness = 1;         // 1 for words that mean the same, less for what the word only implies
  bool translated = false;    // one of the two is of another language
  bool into_english = false;  // the other one is
};

// What the word, or another form of it, may also be called. Empty for unknown words. Lives as long
// as the program.
const std::vector<Synonym>& synonyms_of(std::string_view word);

}  // namespace pi_mcp::search
