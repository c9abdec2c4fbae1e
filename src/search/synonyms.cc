#include "search/synonyms.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "search/terms.h"

namespace pi_mcp::search {
namespace {

constexpr float implied = 0.8F;

class Thesaurus {
 public:
  Thesaurus() {
    for (const std::string_view line : text::split(synonym_table, '\n')) {
      for (const std::string_view entry : text::split(line, ';')) {
        add_entry(text::words(entry));
      }
    }
    for (const std::string_view line : text::split(translation_table, '\n')) {
      for (const std::string_view entry : text::split(line, ';')) {
        add_translations(entry);
      }
    }
  }

  [[nodiscard]] std::vector<Synonym> find(std::string_view word) const {
    const auto found = by_stem_.find(stemmer_.stem(word));
    return found == by_stem_.end() ? std::vector<Synonym>() : found->second;
  }

 private:
  void add_entry(const std::vector<std::string_view>& words) {
    const bool one_way = words.size() > 1 && words[1] == ">";
    for (std::size_t i = 0; i < (one_way ? 1 : words.size()); ++i) {
      for (std::size_t j = one_way ? 2 : 0; j < words.size(); ++j) {
        if (i != j) {
          add(words[i], {.word = words[j], .likeness = one_way ? implied : 1, .translated = false});
        }
      }
    }
  }

  void add_translations(std::string_view entry) {
    const std::size_t middle = std::min(entry.find('='), entry.size());
    const std::vector<std::string_view> english =
        text::words(entry.substr(std::min(middle + 1, entry.size())));
    for (const std::string_view other : text::words(entry.substr(0, middle))) {
      for (const std::string_view word : english) {
        add(word, {.word = other, .likeness = 1, .translated = true});
        add(other, {.word = word, .likeness = 1, .translated = true});
      }
    }
  }

  void add(std::string_view from, const Synonym& to) {
    const std::string stem(stemmer_.stem(from));
    if (stemmer_.stem(to.word) != stem) {
      by_stem_[stem].push_back(to);
    }
  }

  Stemmer stemmer_;
  std::map<std::string, std::vector<Synonym>, std::less<>> by_stem_;
};

}  // namespace

std::vector<Synonym> synonyms_of(std::string_view word) {
  static const Thesaurus thesaurus;
  return thesaurus.find(word);
}

}  // namespace pi_mcp::search
