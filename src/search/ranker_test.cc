#include "search/ranker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Names = std::vector<std::string>;

Document make_document(std::string group, std::string original, std::string description) {
  Document document;
  document.name = group + "_" + original;
  document.original = std::move(original);
  document.group = std::move(group);
  document.description = std::move(description);
  return document;
}

Document screenshot() {
  Document document = make_document(
      "chrome-devtools", "take_screenshot", "Take a screenshot of the page or element.");
  document.name = "chrome_devtools_take_screenshot";
  return document;
}

Document records() {
  return make_document("demo", "search_records", "Find records");
}

std::vector<Document> echo_server() {
  return {make_document("echo", "echo", "Says it back"), make_document("echo", "add", "Adds two")};
}

Names names(const Ranker& ranker, const Ranking& ranking) {
  Names found;
  for (const Hit& hit : ranking.hits) {
    found.push_back(ranker.documents()[hit.document].name);
  }
  return found;
}

Names ranked(std::vector<Document> documents, std::string_view query, std::string_view group = "") {
  const Ranker ranker(std::move(documents));
  return names(ranker, ranker.rank(query, group));
}

double score(const Document& document, std::string_view query) {
  const Ranking ranking = Ranker({document}).rank(query);
  return ranking.whole == 1 ? ranking.hits[0].score : 0;
}

TEST(Ranker, a_query_without_letters_or_digits_finds_nothing) {
  for (const char* query : {"", "   ", "*", "- _ .", "\xff"}) {
    EXPECT_THAT(ranked({screenshot()}, query), IsEmpty()) << query;
  }
}

TEST(Ranker, a_query_that_matches_nothing_finds_nothing) {
  EXPECT_THAT(ranked({screenshot(), records()}, "weather"), IsEmpty());
  EXPECT_THAT(ranked({}, "weather"), IsEmpty());
}

TEST(Ranker, scores_are_the_goldens_of_the_reference_adapter) {
  EXPECT_EQ(score(screenshot(), "screenshot"), 303);
  EXPECT_EQ(score(screenshot(), "take screenshot"), 481);
  EXPECT_EQ(score(records(), "search"), 283);
  EXPECT_EQ(score(records(), "demo_search_records"), 497);
}

TEST(Ranker, half_of_two_words_does_not_satisfy_the_query) {
  EXPECT_EQ(score(screenshot(), "screenshot navigate"), 0);
}

TEST(Ranker, of_three_words_two_satisfy_the_query) {
  // name: take 48, screenshot 48; original the same by 40; description by 20; 7 of 10 for coverage;
  // 8 for the first word in the name.
  EXPECT_EQ(score(screenshot(), "take navigate screenshot"), 96 + 80 + 40 + 7 + 8);
  EXPECT_EQ(score(screenshot(), "take navigate fill press screenshot"), 0);
}

TEST(Ranker, a_repeated_word_counts_again_but_is_found_once) {
  // Three words, one found: under six tenths.
  EXPECT_EQ(score(records(), "find find find"), 0);
  // Four words, three found.
  const int find = 3 * 5 * 4 / 3;
  EXPECT_EQ(score(records(), "find records search search"),
            2 * (48 + 40) + (48 + 40 + 20) + find + 8);
}

TEST(Ranker, stems_and_insides_of_words_count_less_than_words) {
  const Document document = make_document("s", "x", "lists repositories");
  EXPECT_EQ(score(document, "repositories"), 5 * (6 + 4) + 25);
  EXPECT_EQ(score(document, "repo"), 5 * (6 + 2) + 25);
  EXPECT_EQ(score(document, "sitor"), 5 * (6 + 1) + 25);
  // "lists" is the stem; it has at least four letters.
  EXPECT_EQ(score(document, "listsmore"), 5 * 2 + 25);
}

TEST(Ranker, single_letters_match_only_as_words) {
  EXPECT_THAT(ranked({make_document("s", "axb", "")}, "a.b"), IsEmpty());
  EXPECT_THAT(ranked({make_document("s", "a_b", "")}, "a.b"), ElementsAre("s_a_b"));
}

TEST(Ranker, keywords_are_searched_by_their_best_phrase) {
  Document document = make_document("s", "x", "");
  document.keywords = {"Pull Request", "merge"};
  EXPECT_EQ(score(document, "pull request"), 5 * (14 + 4 + 4) + 25 + 20);
  EXPECT_EQ(score(document, "merge"), 5 * (14 + 4) + 25 + 20);
  // Words of different phrases are no phrase.
  EXPECT_EQ(score(document, "request merge"), 5 * (4 + 4) + 25);
}

TEST(Ranker, equal_scores_are_ordered_by_name) {
  EXPECT_THAT(ranked({make_document("s", "list_b", ""),
                      make_document("s", "list_C", ""),
                      make_document("s", "list_a", "")},
                     "list"),
              ElementsAre("s_list_a", "s_list_b", "s_list_C"));
}

TEST(Ranker, better_matches_come_first) {
  EXPECT_THAT(ranked({make_document("files", "read", "Reads what another tool wrote"),
                      make_document("files", "write_file", "Makes a file"),
                      make_document("mail", "send", "Write a letter")},
                     "write file"),
              ElementsAre("files_write_file", "files_read", "mail_send"));
}

TEST(Ranker, japanese_is_found_inside_longer_text) {
  const Ranker ranker({make_document("s", "x", "日本語の検索"), make_document("s", "y", "Search")});
  const Ranking ranking = ranker.rank("日本語");
  EXPECT_THAT(names(ranker, ranking), ElementsAre("s_x"));
  EXPECT_EQ(ranking.whole, 1U);
}

TEST(Ranker, any_of_the_words_finds_when_few_documents_have_all) {
  const Ranker ranker(echo_server());
  const Ranking ranking = ranker.rank("echo add");
  EXPECT_THAT(names(ranker, ranking), ElementsAre("echo_add", "echo_echo"));
  EXPECT_EQ(ranking.whole, 1U);
  EXPECT_FALSE(ranking.widened);
}

TEST(Ranker, when_enough_documents_satisfy_the_query_no_other_is_a_hit) {
  std::vector<Document> documents = {make_document("s", "take_nothing", "")};
  for (std::size_t i = 0; i < hits_enough; ++i) {
    documents.push_back(make_document("s" + std::to_string(i), "take_screenshot", ""));
  }
  const Ranker ranker(documents);
  EXPECT_EQ(ranker.rank("take screenshot").hits.size(), hits_enough);
  documents.pop_back();
  const Ranker fewer(documents);
  EXPECT_EQ(fewer.rank("take screenshot").hits.size(), hits_enough);
  EXPECT_EQ(fewer.rank("take screenshot").whole, hits_enough - 1);
}

TEST(Ranker, nothing_is_never_the_answer_while_a_word_matches) {
  const Ranker ranker({screenshot(), records()});
  const Ranking ranking = ranker.rank("navigate records");
  EXPECT_THAT(names(ranker, ranking), ElementsAre("demo_search_records"));
  EXPECT_TRUE(ranking.widened);
  EXPECT_EQ(ranking.whole, 0U);
}

TEST(Ranker, a_mistyped_or_inflected_word_finds_when_nothing_else_does) {
  for (const char* query : {"screenshto", "scrennshot", "screnshot", "screenshooting"}) {
    const Ranker ranker({screenshot(), records()});
    const Ranking ranking = ranker.rank(query);
    EXPECT_THAT(names(ranker, ranking), ElementsAre("chrome_devtools_take_screenshot")) << query;
    EXPECT_TRUE(ranking.widened) << query;
  }
}

TEST(Ranker, a_similar_word_that_completes_the_query_outranks_half_of_it) {
  EXPECT_THAT(
      ranked({make_document("s", "find_find", "Find, find, find"), records()}, "find recrods"),
      ElementsAre("demo_search_records", "s_find_find"));
}

TEST(Ranker, similar_words_are_not_looked_for_when_the_query_is_satisfied) {
  EXPECT_THAT(ranked({make_document("s", "lists", ""), make_document("s", "mists", "")}, "lists"),
              ElementsAre("s_lists"));
}

TEST(Ranker, a_group_is_ranked_as_if_it_were_alone) {
  std::vector<Document> documents = echo_server();
  documents.push_back(records());
  EXPECT_THAT(ranked(documents, "search echo", "demo"), ElementsAre("demo_search_records"));
  EXPECT_THAT(ranked(documents, "search", "echo"), IsEmpty());
  EXPECT_THAT(ranked(documents, "search", "unknown"), IsEmpty());
}

TEST(Ranker, a_hostile_query_costs_little) {
  std::string query;
  for (int i = 0; i < 100'000; ++i) {
    query += "word" + std::to_string(i) + " ";
  }
  EXPECT_THAT(ranked({screenshot()}, query), IsEmpty());
  EXPECT_THAT(ranked({screenshot()}, std::string(1'000'000, 'x')), IsEmpty());
}

TEST(Ranker, only_the_beginning_of_an_endless_description_is_searched) {
  const Document document =
      make_document("s", "x", "first " + std::string(field_bytes_max, ' ') + "last");
  EXPECT_EQ(ranked({document}, "first").size(), 1U);
  EXPECT_THAT(ranked({document}, "last"), IsEmpty());
}

TEST(Ranker, matches_patterns_in_name_description_and_keywords_in_document_order) {
  std::vector<Document> documents = echo_server();
  documents[1].keywords = {"sum of NUMBERS"};
  const Ranker ranker(documents);
  const auto found = [&ranker](std::string_view pattern, std::string_view group = "") {
    const Result<std::vector<Hit>> hits = ranker.match(pattern, group);
    Ranking ranking;
    ranking.hits = hits.value_or(std::vector<Hit>{});
    return names(ranker, ranking);
  };
  EXPECT_THAT(found("^echo_e"), ElementsAre("echo_echo"));
  EXPECT_THAT(found("BACK$"), ElementsAre("echo_echo"));
  EXPECT_THAT(found("numbers|says"), ElementsAre("echo_echo", "echo_add"));
  EXPECT_THAT(found("(a+)+$"), IsEmpty());
  EXPECT_THAT(found("echo", "other"), IsEmpty());
}

TEST(Ranker, a_pattern_that_does_not_compile_is_refused_with_the_reason) {
  const Ranker ranker(echo_server());
  const Result<std::vector<Hit>> hits = ranker.match("[");
  ASSERT_FALSE(hits);
  EXPECT_EQ(hits.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(hits.error().message(), HasSubstr("missing ]"));
}

TEST(Ranker, patterns_that_are_too_long_or_too_large_are_refused) {
  const Ranker ranker(echo_server());
  EXPECT_TRUE(ranker.match(std::string(pattern_length_max, 'a')));
  EXPECT_FALSE(ranker.match(std::string(pattern_length_max + 1, 'a')));
  EXPECT_FALSE(ranker.match("((((a{100}){100}){100}){100})"));
  EXPECT_FALSE(ranker.match("(?=a)"));
}

TEST(Ranker, a_pattern_that_hangs_other_engines_takes_linear_time) {
  const Ranker ranker({make_document("s", "x", std::string(10'000, 'a') + "!")});
  EXPECT_TRUE(ranker.match("(a+)+$"));
  EXPECT_TRUE(ranker.match("(a|aa)*b"));
}

TEST(Ranker, a_name_with_a_typo_is_suggested) {
  const Ranker ranker(echo_server());
  EXPECT_THAT(ranker.suggest("echo_ecko", 5), ElementsAre("echo_echo"));
  EXPECT_THAT(ranker.suggest("ecoh-ad", 5), ElementsAre("echo_add", "echo_echo"));
  EXPECT_THAT(ranker.suggest("adl", 5), ElementsAre("echo_add"));
}

TEST(Ranker, a_name_is_suggested_by_its_words_without_the_group) {
  const Ranker ranker({screenshot(), records(), make_document("demo", "list", "All records")});
  for (const char* wrong : {"chrome-devtools_make_screenshot",
                            "mcp__chrome-devtools__screenshot_page",
                            "chrome_devtools_screenshotElement"}) {
    EXPECT_THAT(ranker.suggest(wrong, 1), ElementsAre("chrome_devtools_take_screenshot")) << wrong;
  }
  EXPECT_THAT(ranker.suggest("demo_find_records", 2),
              ElementsAre("demo_search_records", "demo_list"));
}

TEST(Ranker, the_longest_group_is_left_out_of_a_wrong_name) {
  const Ranker ranker({make_document("git", "hub_status", ""),
                       make_document("git-hub-mcp", "search", ""),
                       make_document("x", "hub", "")});
  EXPECT_THAT(ranker.suggest("git_hub_searching", 1), ElementsAre("git-hub-mcp_search"));
}

TEST(Ranker, suggestions_are_limited_in_number_and_to_the_group) {
  std::vector<Document> documents;
  for (char c = 'a'; c < 'k'; ++c) {
    documents.push_back(make_document(std::string("s") + c, "search_records", ""));
  }
  const Ranker ranker(documents);
  EXPECT_EQ(ranker.suggest("search_record", 5).size(), 5U);
  EXPECT_THAT(ranker.suggest("search_record", 5, "sc"), ElementsAre("sc_search_records"));
  EXPECT_THAT(ranker.suggest("search_record", 0), IsEmpty());
}

TEST(Ranker, keywords_make_no_suggestions) {
  std::vector<Document> documents = echo_server();
  documents[1].keywords = {"calculator"};
  const Ranker ranker(documents);
  EXPECT_THAT(ranker.suggest("calculator", 5), Not(Contains("echo_add")));
}

TEST(Ranker, nothing_is_suggested_for_a_name_that_resembles_nothing) {
  const Ranker ranker(echo_server());
  EXPECT_THAT(ranker.suggest("weather", 5), IsEmpty());
  EXPECT_THAT(ranker.suggest("", 5), IsEmpty());
  EXPECT_THAT(ranker.suggest(std::string(100'000, 'q'), 5), IsEmpty());
}

}  // namespace
}  // namespace pi_mcp::search
