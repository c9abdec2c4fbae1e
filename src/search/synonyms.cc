#include "search/synonyms.h"

#include <cstddef>
#include <optional>

#include "base/text.h"
#include "search/tables.h"
#include "search/terms.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {
namespace {

constexpr float implied = 0.8F;

class Thesaurus {
 public:
  Thesaurus() {
    for_each_entry(synonym_table, [this](std::string_view entry) { add_synonyms(entry); });
    for_each_entry(translation_table, [this](std::string_view entry) { add_translations(entry); });
  }

  [[nodiscard]] const std::vector<Synonym>& find(std::string_view word) const {
    static const std::vector<Synonym> none;
    const std::optional<std::uint32_t> stem = stems_.find(WordKey(stemmer_.stem(word)));
    return stem ? synonyms_[*stem] : none;
  }

 private:
  // The first search waits for all of this, so every word is reduced to its stem but once.
  struct Word {
    std::string_view word;
    std::uint32_t stem;
  };

  template <class Use>
  static void for_each_entry(std::string_view table, const Use& use) {
    for (const std::string_view line : text::split(table, '\n')) {
      for (const std::string_view entry : text::split(line, ';')) {
        use(entry);
      }
    }
  }

  std::vector<Word> words_of(std::string_view entry) {
    std::vector<Word> words;
    for (const std::string_view word : text::words(entry)) {
      words.push_back({.word = word, .stem = stems_.add(WordKey(stemmer_.stem(word)))});
    }
    synonyms_.resize(stems_.size());
    return words;
  }

  void add_synonyms(std::string_view entry) {
    const std::size_t arrow = entry.find('>');
    if (arrow == std::string_view::npos) {
      const std::vector<Word> words = words_of(entry);
      add_all(words, words, {.word = {}});
      return;
    }
    add_all(words_of(entry.substr(0, arrow)),
            words_of(entry.substr(arrow + 1)),
            {.word = {}, .likeness = implied});
  }

  void add_translations(std::string_view entry) {
    const std::size_t middle = entry.find('=');
    if (middle == std::string_view::npos) {
      return;
    }
    const std::vector<Word> others = words_of(entry.substr(0, middle));
    const std::vector<Word> english = words_of(entry.substr(middle + 1));
    add_all(others, english, {.word = {}, .translated = true, .into_english = true});
    add_all(english, others, {.word = {}, .translated = true});
  }

  // To each of `from` what `to` has of other stems, otherwise like `example`.
  void add_all(const std::vector<Word>& from, const std::vector<Word>& to, Synonym example) {
    for (const Word& word : from) {
      for (const Word& other : to) {
        if (word.stem != other.stem) {
          example.word = other.word;
          synonyms_[word.stem].push_back(example);
        }
      }
    }
  }

  Stemmer stemmer_;
  TextTable stems_;
  std::vector<std::vector<Synonym>> synonyms_;  // by number of the stem
};

}  // namespace

const std::vector<Synonym>& synonyms_of(std::string_view word) {
  static const Thesaurus thesaurus;
  return thesaurus.find(word);
}

}  // namespace pi_mcp::search
