#include "tool/reference_score.h"

#include <deque>

#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

// Documents do not keep their texts.
std::string_view kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

search::Document make_document(const std::string& group,
                               std::string original,
                               std::string description) {
  search::Document document;
  document.name = kept(group + "_" + original);
  document.original = kept(std::move(original));
  document.group = kept(group);
  document.description = kept(std::move(description));
  return document;
}

search::Document screenshot() {
  search::Document document = make_document(
      "chrome-devtools", "take_screenshot", "Take a screenshot of the page or element.");
  document.name = "chrome_devtools_take_screenshot";
  return document;
}

search::Document records() {
  return make_document("demo", "search_records", "Find records");
}

double score(const search::Document& document, std::string_view query) {
  return reference_score(document, query);
}

TEST(ReferenceScore, scores_are_the_goldens_of_the_reference_adapter) {
  EXPECT_EQ(score(screenshot(), "screenshot"), 303);
  EXPECT_EQ(score(screenshot(), "take screenshot"), 481);
  EXPECT_EQ(score(records(), "search"), 283);
  EXPECT_EQ(score(records(), "demo_search_records"), 497);
}

TEST(ReferenceScore, half_of_two_words_does_not_satisfy_the_query) {
  EXPECT_EQ(score(screenshot(), "screenshot navigate"), 0);
}

TEST(ReferenceScore, of_three_words_two_satisfy_the_query) {
  // name: take 48, screenshot 48; original the same by 40; description by 20; 7 of 10 for coverage;
  // 8 for the first word in the name.
  EXPECT_EQ(score(screenshot(), "take navigate screenshot"), 96 + 80 + 40 + 7 + 8);
  EXPECT_EQ(score(screenshot(), "take navigate fill press screenshot"), 0);
}

TEST(ReferenceScore, a_repeated_word_counts_again_but_is_found_once) {
  // Three words, one found: under six tenths.
  EXPECT_EQ(score(records(), "find find find"), 0);
  // Four words, three found.
  const int find = 3 * 5 * 4 / 3;
  EXPECT_EQ(score(records(), "find records search search"),
            2 * (48 + 40) + (48 + 40 + 20) + find + 8);
}

TEST(ReferenceScore, stems_and_insides_of_words_count_less_than_words) {
  const search::Document document = make_document("s", "x", "lists repositories");
  EXPECT_EQ(score(document, "repositories"), 5 * (6 + 4) + 25);
  EXPECT_EQ(score(document, "repo"), 5 * (6 + 2) + 25);
  EXPECT_EQ(score(document, "sitor"), 5 * (6 + 1) + 25);
  // "lists" is the stem; it has at least four letters.
  EXPECT_EQ(score(document, "listsmore"), 5 * 2 + 25);
}

TEST(ReferenceScore, keywords_are_searched_by_their_best_phrase) {
  search::Document document = make_document("s", "x", "");
  document.keywords = {"Pull Request", "merge"};
  EXPECT_EQ(score(document, "pull request"), 5 * (14 + 4 + 4) + 25 + 20);
  EXPECT_EQ(score(document, "merge"), 5 * (14 + 4) + 25 + 20);
  // Words of different phrases do not make a phrase.
  EXPECT_EQ(score(document, "request merge"), 5 * (4 + 4) + 25);
}

}  // namespace
}  // namespace pi_mcp::tool
