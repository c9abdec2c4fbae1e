#include "search/synonyms.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "search/tables.h"
#include "search/terms.h"

namespace pi_mcp::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string_view> words_of(const std::vector<Synonym>& synonyms) {
  std::vector<std::string_view> words;
  for (const Synonym& synonym : synonyms) {
    words.push_back(synonym.word);
  }
  return words;
}

TEST(Synonyms, are_found_for_every_form_of_a_word) {
  EXPECT_THAT(words_of(synonyms_of("deleting")), Contains("remove"));
}

TEST(Synonyms, abbreviations_and_what_they_stand_for_mean_each_other) {
  EXPECT_THAT(words_of(synonyms_of("internationalization")), Contains("i18n"));
  EXPECT_THAT(words_of(synonyms_of("k8s")), Contains("kubernetes"));
}

TEST(Synonyms, what_is_only_implied_does_not_imply_it) {
  EXPECT_THAT(words_of(synonyms_of("airfare")), Contains("flight"));
  EXPECT_THAT(words_of(synonyms_of("flight")), Not(Contains("airfare")));
}

TEST(Synonyms, translate_both_ways) {
  EXPECT_THAT(words_of(synonyms_of("downloads")), Contains("下载"));
  EXPECT_THAT(words_of(synonyms_of("下载")), Contains("download"));
  for (const Synonym& synonym : synonyms_of("下载")) {
    EXPECT_TRUE(synonym.translated) << synonym.word;
  }
}

// A longer or shorter one would never be met in a text.
TEST(Synonyms, every_word_of_another_language_is_one_term) {
  std::size_t count = 0;
  for (const std::string_view line : text::split(translation_table, '\n')) {
    for (const std::string_view entry : text::split(line, ';')) {
      const std::size_t middle = entry.find('=');
      if (text::words(entry).empty()) {
        continue;
      }
      ASSERT_NE(middle, std::string_view::npos) << entry;
      EXPECT_FALSE(text::words(entry.substr(middle + 1)).empty()) << entry;
      for (const std::string_view word : text::words(entry.substr(0, middle))) {
        std::vector<std::string> terms;
        read_words(word, Identifiers::divided, [&terms](std::span<const WordKey> some) {
          for (const WordKey& term : some) {
            terms.emplace_back(term.text());
          }
        });
        EXPECT_THAT(terms, ElementsAre(word));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 500U);
}

// Else an English query would be read as one in that language.
TEST(Synonyms, no_word_of_another_language_is_a_form_of_an_english_one) {
  const Stemmer stemmer;
  std::set<std::string, std::less<>> english;
  std::vector<std::string_view> others;
  const auto add_english = [&](std::string_view entry) {
    for (const std::string_view word : text::words(entry)) {
      english.emplace(stemmer.stem(word));
    }
  };
  for (const std::string_view line : text::split(synonym_table, '\n')) {
    add_english(line);
  }
  for (const std::string_view line : text::split(translation_table, '\n')) {
    for (const std::string_view entry : text::split(line, ';')) {
      const std::size_t middle = std::min(entry.find('='), entry.size());
      std::ranges::copy(text::words(entry.substr(0, middle)), std::back_inserter(others));
      add_english(entry.substr(middle));
    }
  }
  for (const std::string_view word : others) {
    EXPECT_FALSE(english.contains(stemmer.stem(word))) << word;
  }
}

}  // namespace
}  // namespace pi_mcp::search
