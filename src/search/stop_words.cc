#include "search/stop_words.h"

#include "base/text.h"
#include "search/tables.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {
namespace {

TextTable words_of(std::string_view table) {
  TextTable words;
  for (const std::string_view word : text::words(table)) {
    words.add(WordKey(word));
  }
  return words;
}

}  // namespace

bool is_stop_word(std::string_view word) {
  static const TextTable words = words_of(stop_words);
  return words.find(WordKey(word)).has_value();
}

bool is_polite_word(std::string_view word) {
  static const TextTable words = words_of(polite_words);
  return words.find(WordKey(word)).has_value();
}

}  // namespace pi_mcp::search
