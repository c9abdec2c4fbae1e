#include "search/ranker.h"

#include <algorithm>
#include <deque>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

using Names = std::vector<std::string>;

// Documents do not keep their texts.
std::string_view kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

Document make_document(const std::string& group, std::string original, std::string description) {
  Document document;
  document.name = kept(group + "_" + original);
  document.original = kept(std::move(original));
  document.group = kept(group);
  document.description = kept(std::move(description));
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
    found.emplace_back(ranker.document(hit.document).name);
  }
  return found;
}

Names ranked(std::vector<Document> documents, std::string_view query, std::string_view group = "") {
  const Ranker ranker(std::move(documents));
  return names(ranker, ranker.rank(query, group));
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

TEST(Ranker, single_letters_match_only_as_words) {
  EXPECT_THAT(ranked({make_document("s", "axb", "")}, "a.b"), IsEmpty());
  EXPECT_THAT(ranked({make_document("s", "a_b", "")}, "a.b"), ElementsAre("s_a_b"));
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
  EXPECT_THAT(ranked({make_document("s", "x", "日本語の検索"), make_document("s", "y", "Search")},
                     "日本語"),
              ElementsAre("s_x"));
}

TEST(Ranker, any_of_the_words_finds) {
  EXPECT_THAT(ranked(echo_server(), "echo add"), ElementsAre("echo_add", "echo_echo"));
}

TEST(Ranker, confidence_is_how_much_the_best_hit_explains_of_the_query) {
  const Ranker ranker({screenshot(), records()});
  EXPECT_FALSE(ranker.rank("take screenshot").low());
  EXPECT_LT(ranker.rank("screenshot records").confidence,
            ranker.rank("take screenshot").confidence);
  EXPECT_EQ(ranker.rank("weather").confidence, 0);
}

TEST(Ranker, a_word_that_nothing_has_lowers_confidence) {
  const Ranker ranker({screenshot(), records(), make_document("rail", "book_ticket", "Tickets")});
  EXPECT_LT(ranker.rank("jira ticket").confidence, 0.7);
  EXPECT_TRUE(ranker.rank("quixotic jira ticket").low());
  EXPECT_FALSE(ranker.rank("book a ticket, please, for me and them").low());
  // What the tool is to be used on may be any word.
  EXPECT_FALSE(ranker.rank("take a screenshot of 'zanzibar'").low());
}

TEST(Ranker, what_is_only_guessed_is_less_confident_than_what_is_said) {
  const Ranker ranker({make_document("s", "delete_file", ""), records()});
  const double said = ranker.rank("delete file").confidence;
  EXPECT_LT(ranker.rank("erase file").confidence, said);
  EXPECT_LT(ranker.rank("delte file").confidence, said);
}

TEST(Ranker, what_is_not_known_of_another_language_lowers_confidence_less) {
  const Ranker ranker(
      {make_document("s", "create_invoice", "Creates it"), records(), screenshot()});
  EXPECT_TRUE(ranker.rank("quixotic invoice zygote obelisk").low());
  EXPECT_FALSE(ranker.rank("quixotic rechnung zygote obelisk").low());
  // English words that a tool has in another language are not of one.
  const Ranker chinese({make_document("s", "kaipiao", "发票"), records(), screenshot()});
  EXPECT_TRUE(chinese.rank("quixotic invoice zygote obelisk").low());
  // What is understood is elsewhere.
  EXPECT_TRUE(ranker.rank("rechnung nachricht tabelle kalender konto").low());
}

TEST(Ranker, a_word_that_only_parameters_have_is_no_sign_of_what_a_tool_does) {
  Document mailer = make_document("s", "send_letter", "Sends a letter");
  mailer.parameter_texts = "a thermostat";
  const Ranker ranker({mailer, records(), screenshot()});
  EXPECT_THAT(names(ranker, ranker.rank("thermostat")), ElementsAre("s_send_letter"));
  EXPECT_TRUE(ranker.rank("thermostat").low());
  EXPECT_FALSE(ranker.rank("letter").low());
}

TEST(Ranker, a_long_request_is_confident_when_it_says_much_of_the_tool) {
  std::vector<Document> documents = {
      make_document("s", "create_calendar_event", "Create an event with attendees in a calendar")};
  for (const char* thing : {"note", "table", "house", "road", "cup", "river", "hill", "tower"}) {
    documents.push_back(make_document("s", std::string("paint_") + thing, "Paint it"));
  }
  const Ranker ranker(documents);
  const std::string story =
      " quixotic xylophone zygote obelisk marmalade kerfuffle bassoon turnip gargoyle";
  EXPECT_FALSE(ranker.rank("create a calendar event with attendees" + story).low());
  EXPECT_TRUE(ranker.rank("an event" + story).low());
}

TEST(Ranker, says_when_more_are_close_than_it_has_hits) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i <= hits_max; ++i) {
    documents.push_back(make_document("s", "tool_" + std::to_string(i), "Archive"));
  }
  const Ranking cut = Ranker(documents).rank("archive");
  EXPECT_EQ(cut.close, hits_max);
  EXPECT_TRUE(cut.more_close);
  documents.pop_back();
  EXPECT_FALSE(Ranker(documents).rank("archive").more_close);
}

TEST(Ranker, hits_far_behind_the_best_one_are_not_close) {
  std::vector<Document> documents = {make_document("maps", "geocode_address", "")};
  for (int i = 0; i < 30; ++i) {
    documents.push_back(
        make_document("s" + std::to_string(i), "x", "Something else that has an address"));
  }
  const Ranking ranking = Ranker(documents).rank("geocode address");
  EXPECT_EQ(ranking.hits.size(), 31U);
  EXPECT_EQ(ranking.close, close_min);
}

TEST(Ranker, a_mistyped_or_inflected_word_finds) {
  for (const char* query :
       {"screenshto", "scrennshot", "screnshot", "screenshooting", "screenshots", "screensh"}) {
    EXPECT_THAT(ranked({screenshot(), records()}, query),
                ElementsAre("chrome_devtools_take_screenshot"))
        << query;
  }
}

TEST(Ranker, forms_of_a_word_are_one_word) {
  const std::vector<Document> documents = {make_document("s", "create_issue", ""),
                                           make_document("s", "list_repositories", "")};
  EXPECT_THAT(ranked(documents, "creating"), ElementsAre("s_create_issue"));
  EXPECT_THAT(ranked(documents, "repository"), ElementsAre("s_list_repositories"));
}

TEST(Ranker, identifiers_are_words_however_they_are_written) {
  for (const char* name : {"getUserByID", "get_user_by_id", "get-user-by-id", "GETUserById"}) {
    EXPECT_THAT(ranked({make_document("s", name, "")}, "user id"), Not(IsEmpty())) << name;
  }
  EXPECT_THAT(ranked({make_document("s", "HTTPServer", "")}, "server"),
              ElementsAre("s_HTTPServer"));
}

TEST(Ranker, a_product_is_one_word_however_it_is_written) {
  const std::vector<Document> documents = {make_document("git", "list_hub", "Lists"),
                                           make_document("github", "list_teams", "Lists"),
                                           make_document("code", "open", "Opens it on YouTube")};
  EXPECT_EQ(ranked(documents, "list on GitHub").front(), "github_list_teams");
  EXPECT_THAT(ranked(documents, "youtube"), ElementsAre("code_open"));
  EXPECT_THAT(ranked(documents, "a tube that is open"), ElementsAre("code_open"));
}

TEST(Ranker, the_tools_of_a_server_that_is_named_come_first) {
  EXPECT_THAT(ranked({make_document("code", "get_member_names", "Members of a team"),
                      make_document("code", "get_team", "A team and its members"),
                      make_document("grafana", "list_users", "Who may sign in"),
                      make_document("grafana", "get_panel", "A panel")},
                     "grafana users that are members")
                  .front(),
              "grafana_list_users");
}

TEST(Ranker, a_server_is_named_by_what_is_asked_and_not_by_what_a_tool_is_to_be_used_on) {
  const std::vector<Document> documents = {make_document("files", "write_file", "Writes a file"),
                                           make_document("files", "read_file", "Reads a file"),
                                           make_document("zygote", "write_minutes", "Writes it"),
                                           make_document("zygote", "list_minutes", "Lists them")};
  const auto names_server = [&documents](const char* query) {
    const std::vector<std::string> lines = Ranker(documents).explain(query, 2);
    return std::ranges::any_of(lines, [](const std::string& line) {
      return line.find("which names ") != std::string::npos &&
             line.find("names 0 %") == std::string::npos;
    });
  };
  EXPECT_TRUE(names_server("write the zygote minutes"));
  EXPECT_FALSE(names_server("write a file named 'zygote'"));
}

TEST(Ranker, a_server_of_one_tool_is_named_less_than_one_of_many) {
  std::vector<Document> documents = {make_document("zygote", "split", "")};
  for (const char* tool : {"list", "add", "remove", "merge", "rename", "copy"}) {
    documents.push_back(make_document("gargoyle", tool, ""));
  }
  const Ranker ranker(documents);
  EXPECT_THAT(ranker.explain("zygote", 0), Contains(HasSubstr("names 25 % of its server")));
  EXPECT_THAT(ranker.explain("gargoyle", 1), Contains(HasSubstr("names 67 % of its server")));
}

TEST(Ranker, a_tool_that_does_one_of_two_things_entirely_comes_before_one_that_does_a_bit_of_both) {
  std::vector<Document> documents = {make_document("s", "one", "bolp cirv dask fenu gorl"),
                                     make_document("s", "both", "bolp cirv dask hibb jorm kust")};
  for (const char* word : {"fenu", "gorl", "hibb", "jorm", "kust"}) {
    documents.push_back(make_document("s", std::string("has_") + word, word));
  }
  EXPECT_EQ(ranked(documents, "bolp cirv dask fenu gorl hibb jorm kust").front(), "s_both");
  EXPECT_EQ(ranked(documents, "bolp cirv dask fenu gorl. hibb jorm kust").front(), "s_one");
}

TEST(Ranker, a_rare_synonym_counts_no_more_than_the_word_itself) {
  std::vector<Document> documents = {make_document("s", "generate_page", "Makes it")};
  for (const char* thing : {"note", "table", "house", "road", "cup"}) {
    documents.push_back(make_document("s", std::string("make_") + thing, ""));
  }
  const Ranker ranker(documents);
  EXPECT_EQ(names(ranker, ranker.rank("make a cup")).front(), "s_make_cup");
}

TEST(Ranker, words_of_politeness_count_less_in_a_sentence_and_in_full_when_they_may_be_meant) {
  const auto both = [](std::string_view query) {
    return ranked({make_document("a", "hello", ""), make_document("z", "invoice", "")}, query);
  };
  EXPECT_THAT(both("hello invoice"), ElementsAre("a_hello", "z_invoice"));
  EXPECT_THAT(both("hello wonderful accountant wondering whether last invoice arrived yesterday"),
              ElementsAre("z_invoice", "a_hello"));
  // Small words make a sentence as well.
  EXPECT_THAT(both("hello, what is there in the invoice"), ElementsAre("z_invoice", "a_hello"));
}

TEST(Ranker, other_words_for_the_same_thing_find) {
  EXPECT_THAT(ranked({make_document("s", "delete_file", ""), records()}, "erase"),
              ElementsAre("s_delete_file"));
  EXPECT_THAT(ranked({make_document("s", "cp", "")}, "copy"), ElementsAre("s_cp"));
  EXPECT_THAT(ranked({make_document("food", "order", "")}, "pizza"), ElementsAre("food_order"));
  // What a word implies does not imply the word.
  EXPECT_THAT(ranked({make_document("x", "pizza", "")}, "order"), IsEmpty());
}

TEST(Ranker, chinese_descriptions_are_found_with_english_words) {
  EXPECT_THAT(ranked({make_document("cn", "tq", "查询指定城市的天气"), records()}, "weather"),
              ElementsAre("cn_tq"));
}

TEST(Ranker, words_of_other_languages_find_english_descriptions) {
  const std::vector<Document> documents = {make_document("fs", "rm", "Delete a file"), records()};
  EXPECT_THAT(ranked(documents, "删除"), ElementsAre("fs_rm"));
  EXPECT_THAT(ranked(documents, "파일 삭제"), ElementsAre("fs_rm"));
}

TEST(Ranker, words_of_european_languages_find_english_descriptions) {
  const std::vector<Document> documents = {make_document("files", "delete_file", "Delete a file"),
                                           make_document("files", "read_file", "Read a file"),
                                           records()};
  EXPECT_EQ(ranked(documents, "Datei löschen").front(), "files_delete_file");
  EXPECT_EQ(ranked(documents, "supprimer un fichier").front(), "files_delete_file");
  EXPECT_EQ(ranked(documents, "leer el archivo").front(), "files_read_file");
}

TEST(Ranker, the_words_of_a_value_mean_nothing_else) {
  const std::vector<Document> documents = {make_document("s", "delete_file", ""), records()};
  EXPECT_THAT(ranked(documents, "records named 'erase'"), ElementsAre("demo_search_records"));
  EXPECT_THAT(ranked(documents, "records to erase"), Contains("s_delete_file"));
}

TEST(Ranker, a_short_word_is_no_typo_of_one_that_begins_otherwise) {
  const std::vector<Document> documents = {make_document("rail", "train_times", ""),
                                           make_document("met", "weather", ""),
                                           make_document("shop", "price", "")};
  EXPECT_THAT(ranked(documents, "will it rain"), ElementsAre("met_weather"));
  EXPECT_THAT(ranked(documents, "pricy"), ElementsAre("shop_price"));
  EXPECT_THAT(ranked({make_document("s", "file", "")}, "ifle"), ElementsAre("s_file"));
}

TEST(Ranker, a_word_of_the_thesaurus_is_no_typo) {
  EXPECT_THAT(ranked({make_document("s", "stack", ""), make_document("s", "share", "")}, "stock"),
              ElementsAre("s_share"));
}

TEST(Ranker, a_word_of_the_thesaurus_is_not_unfinished) {
  EXPECT_THAT(ranked({make_document("s", "given", "")}, "give"), IsEmpty());
  EXPECT_THAT(ranked({make_document("s", "quixotic", "")}, "quixo"), ElementsAre("s_quixotic"));
}

TEST(Ranker, beginnings_and_typos_of_every_alphabet_find) {
  const std::vector<Document> documents = {make_document("s", "a", "Поиск файлов в каталоге"),
                                           make_document("s", "b", "Αναζήτηση αρχείων"),
                                           make_document("s", "c", "Søk i dokumenter på øya")};
  for (const char* query : {"файл", "файлы", "каталог", "каталга", "КАТАЛОГИ"}) {
    EXPECT_THAT(ranked(documents, query), ElementsAre("s_a")) << query;
  }
  EXPECT_THAT(ranked(documents, "αρχείο"), ElementsAre("s_b"));
  EXPECT_THAT(ranked(documents, "αναζτηση"), ElementsAre("s_b"));
  EXPECT_THAT(ranked({make_document("s", "d", "Zażółć gęślą")}, "zazolc"), ElementsAre("s_d"));
  EXPECT_THAT(ranked(documents, "погода"), IsEmpty());
  EXPECT_THAT(ranked(documents, "фай"), IsEmpty());
}

TEST(Ranker, accents_widths_and_case_of_any_script_do_not_matter) {
  const std::vector<Document> documents = {make_document("s", "a", "Résumé naïve Übersicht"),
                                           make_document("s", "b", "Показать погоду МОСКВА"),
                                           make_document("s", "c", "ｆｕｌｌ width"),
                                           make_document("s", "d", "Λίστα ΑΡΧΕΊΩΝ")};
  EXPECT_THAT(ranked(documents, "resume"), ElementsAre("s_a"));
  EXPECT_THAT(ranked(documents, "NAÏVE"), ElementsAre("s_a"));
  EXPECT_THAT(ranked(documents, "москва"), ElementsAre("s_b"));
  EXPECT_THAT(ranked(documents, "full"), ElementsAre("s_c"));
  EXPECT_THAT(ranked(documents, "αρχείων"), ElementsAre("s_d"));
}

TEST(Ranker, a_name_spelled_out_comes_first) {
  EXPECT_THAT(
      ranked({make_document("a", "search", "search records, all records of the search"), records()},
             "demo_search_records"),
      ElementsAre("demo_search_records", "a_search"));
}

Document named(std::string_view name, std::string_view original, std::string_view group = "s") {
  Document document;
  document.name = name;
  document.original = original;
  document.group = group;
  return document;
}

TEST(Ranker, an_exact_name_comes_before_the_same_name_spelled_otherwise) {
  const std::vector<Document> documents = {named("misc_calculate_bmi", "calculate_bmi"),
                                           named("misc_calculate_BMI", "calculate_BMI"),
                                           named("app_math_gcd", "math_gcd", "app"),
                                           named("math_gcd", "gcd", "math"),
                                           named("api_send", "send", "api"),
                                           named("send", "x_send", "y"),
                                           named("w_a/b/c", "a/b/c", "w"),
                                           named("w_a.b.c", "a.b.c", "w"),
                                           named("v_getUserByID", "getUserByID", "v"),
                                           named("v_get_user_by_id", "get_user_by_id", "v")};
  for (const char* query : {"misc_calculate_BMI", "misc_calculate_bmi", "math_gcd", "send"}) {
    EXPECT_EQ(ranked(documents, query).front(), query);
  }
  for (const char* query : {"a.b.c", "a/b/c"}) {
    EXPECT_EQ(ranked(documents, query).front(), std::string("w_") + query);
  }
  for (const char* query : {"getUserByID", "get_user_by_id"}) {
    EXPECT_EQ(ranked(documents, query).front(), std::string("v_") + query);
  }
}

TEST(Ranker, a_name_with_its_server_is_spelled_out) {
  const std::vector<Document> documents = {
      make_document("records", "search_demo", "Search demo records of the demo"),
      make_document("demo-mcp", "search_records", "")};
  for (const char* query : {"mcp__demo-mcp__search_records",
                            "demo-mcp.search_records",
                            "demo-mcp/search_records",
                            "demo-mcp:search_records",
                            "mcp__demo__search-records",
                            "demo.search_records"}) {
    EXPECT_EQ(ranked(documents, query).front(), "demo-mcp_search_records") << query;
  }
}

TEST(Ranker, a_name_without_separators_is_found) {
  std::vector<Document> documents = {make_document("trends-hub", "get-netease-news-trending", ""),
                                     records()};
  for (const char* query : {"getneteasenewstrending",
                            "trendshubgetneteasenewstrending",
                            "mcptrendshubgetneteasenewstrending"}) {
    EXPECT_THAT(ranked(documents, query), ElementsAre("trends-hub_get-netease-news-trending"));
    EXPECT_EQ(Ranker(documents).rank(query).confidence, 1);
  }
  EXPECT_THAT(ranked(documents, "getneteasenewstrending", "demo"), IsEmpty());
  documents.push_back(make_document("s", "ФайлНайти", ""));
  EXPECT_THAT(ranked(documents, "файлнайти"), ElementsAre("s_ФайлНайти"));
}

TEST(Ranker, every_tool_of_a_name_comes_first_however_many_there_are) {
  std::vector<Document> documents;
  for (int i = 0; i < 600; ++i) {
    documents.push_back(make_document("get" + std::to_string(i), "get_it", "Get it, get it"));
  }
  documents.push_back(make_document("z", "Get", "Something"));
  const Names found = ranked(documents, "get");
  EXPECT_EQ(found.front(), "z_Get");
  EXPECT_EQ(found.size(), hits_max);
  EXPECT_EQ(ranked(documents, "get it").size(), hits_max);
}

TEST(Ranker, parameters_and_their_values_are_searched) {
  Document document = make_document("s", "x", "");
  document.parameters = "postalCode";
  document.parameter_texts = "Where it goes";
  document.parameter_values = "express";
  for (const char* query : {"postal", "goes", "express"}) {
    EXPECT_THAT(ranked({document, records()}, query), ElementsAre("s_x")) << query;
  }
}

TEST(Ranker, a_tool_that_wants_what_the_query_gives_comes_before_one_that_wants_more) {
  Document asked = make_document("s", "z", "Forecasts");
  asked.parameters = "city";
  Document more = make_document("s", "a", "Forecasts");
  more.parameters = "station\nsensor\ncity";
  EXPECT_THAT(ranked({more, asked, records()}, "forecasts for a city"), ElementsAre("s_z", "s_a"));
}

TEST(Ranker, a_literal_finds_the_tool_that_takes_one) {
  EXPECT_THAT(
      ranked({make_document("s", "open", "Opens a url"), records()}, "https://example.org/a"),
      ElementsAre("s_open"));
  EXPECT_THAT(ranked({make_document("s", "open", "Opens a spreadsheet"), records()}, "sums.csv"),
              ElementsAre("s_open"));
}

TEST(Ranker, what_stands_in_quotes_counts_less_than_what_is_asked) {
  EXPECT_THAT(
      ranked({make_document("s", "rename_file", ""), make_document("s", "find_records", "")},
             "rename the file to 'find records'")
          .front(),
      "s_rename_file");
}

TEST(Ranker, the_server_decides_between_equal_tools) {
  EXPECT_THAT(ranked({make_document("gitlab", "list_issues", "List issues"),
                      make_document("github", "list_issues", "List issues")},
                     "github issues")
                  .front(),
              "github_list_issues");
}

TEST(Ranker, groups_come_change_and_go) {
  Ranker ranker;
  int reads = 0;
  const auto source = [&reads](std::string name, std::uint64_t revision, std::string tool) {
    return GroupSource{.name = name,
                       .revision = revision,
                       .documents = 1,
                       .read =
                           [&reads, name, tool](std::size_t) {
                             ++reads;
                             return make_document(name, tool, "");
                           },
                       .about = {}};
  };
  ranker.assign({source("a", 1, "alpha"), source("b", 1, "beta")});
  ranker.assign({source("a", 1, "alpha"), source("b", 2, "gamma")});
  EXPECT_EQ(reads, 3);
  EXPECT_THAT(names(ranker, ranker.rank("alpha")), ElementsAre("a_alpha"));
  EXPECT_THAT(names(ranker, ranker.rank("gamma")), ElementsAre("b_gamma"));
  EXPECT_THAT(names(ranker, ranker.rank("beta")), IsEmpty());
  ranker.assign({source("b", 2, "gamma")});
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(ranker.size(), 1U);
  EXPECT_THAT(names(ranker, ranker.rank("alpha")), IsEmpty());
}

TEST(Ranker, what_a_server_says_of_itself_finds_its_tools_behind_others) {
  Ranker ranker;
  const auto source = [](std::string name, std::vector<std::string> tools, std::string about) {
    const std::size_t count = tools.size();
    return GroupSource{
        .name = name,
        .documents = count,
        .read = [name, tools](std::size_t i) { return make_document(name, tools[i], ""); },
        .about = std::move(about)};
  };
  ranker.assign({source("a", {"split", "merge"}, "Zygote management"),
                 source("b", {"management"}, ""),
                 source("c", {"other"}, "")});
  EXPECT_THAT(names(ranker, ranker.rank("zygote")), ElementsAre("a_merge", "a_split"));
  EXPECT_THAT(names(ranker, ranker.rank("zygote management")),
              ElementsAre("b_management", "a_merge", "a_split"));
  EXPECT_TRUE(ranker.rank("zygote").low());
  EXPECT_THAT(names(ranker, ranker.rank("zygote", "b")), IsEmpty());
}

// What an explanation's lines come to: numbers with +, -, x or nothing in front of them.
std::vector<double> sums_of(const std::vector<std::string>& lines) {
  std::vector<double> sums;
  double sum = 0;
  for (const std::string& line : lines) {
    const bool has_sign = std::string_view("+-x=").find(line.front()) != std::string_view::npos;
    const double value = std::stod(line.substr(has_sign ? 2 : 0));
    const char sign = has_sign ? line.front() : '+';
    if (sign == '=') {
      EXPECT_NEAR(sum, value, 0.01 * std::max(3.0, value)) << line;
      sums.push_back(value);
    }
    sum = sign == 'x' ? sum * value : sum + (sign == '-' ? -value : sign == '+' ? value : 0);
  }
  return sums;
}

std::vector<Document> codes_and_forecasts(int count) {
  std::vector<Document> documents = {
      make_document("both", "code_weather", "Generate a code of the weather forecast")};
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    documents.push_back(make_document("a" + number, "generate_code", "Generate a code " + number));
    documents.push_back(make_document("b" + number, "weather_forecast", "Tells it"));
  }
  return documents;
}

TEST(Ranker, each_wish_of_a_query_has_hits_on_the_first_page) {
  const Ranker ranker(codes_and_forecasts(10));
  const Names found = names(
      ranker,
      ranker.rank("generate a new code for me. Also the weather forecast of tomorrow please"));
  const auto begins_with = [](char first) {
    return [first](const std::string& name) {
      return name.front() == first;
    };
  };
  const std::span<const std::string> page = std::span(found).first(5);
  EXPECT_GE(std::ranges::count_if(page, begins_with('a')), 2);
  EXPECT_GE(std::ranges::count_if(page, begins_with('b')), 2);
}

TEST(Ranker, a_weak_hit_does_not_come_before_many_strong_ones_of_another_wish) {
  std::vector<Document> documents = {make_document("b", "show", "Tells a forecast")};
  for (int i = 0; i < 40; ++i) {
    const char* tool = i < 9 ? "generate_code" : "paint_wall";
    documents.push_back(make_document("a" + std::to_string(i), tool, ""));
  }
  const Names found = ranked(documents, "generate a new code. also the weather forecast");
  EXPECT_EQ(found.at(9), "b_show");
}

TEST(Ranker, an_explanation_says_how_much_of_the_query_the_name_has) {
  const Ranker ranker({screenshot(), records()});
  EXPECT_THAT(ranker.explain("search zygotes of records", 1),
              Contains(HasSubstr("the name 100 % of the query")));
  EXPECT_THAT(ranker.explain("search records and take it", 1),
              Not(Contains(HasSubstr("the name 100 % of the query"))));
}

// Every line of the explanations of many hits.
std::vector<std::string> explained(const Ranker& ranker, const char* query) {
  std::vector<std::string> all;
  const Ranking ranking = ranker.rank(query);
  for (std::size_t place = 0; place < ranking.hits.size(); place += place < 12 ? 1 : 20) {
    const Hit& hit = ranking.hits[place];
    const std::vector<std::string> lines = ranker.explain(query, hit.document);
    EXPECT_NEAR(sums_of(lines).back(), hit.score, 0.01) << query << " " << place;
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

TEST(Ranker, the_parts_of_an_explanation_make_up_the_score_of_the_hit) {
  const Ranker few(codes_and_forecasts(10));
  explained(few, "the weather forecast of a shop");
  const std::vector<std::string> two =
      explained(few, "generate a new code. tell the weather forecast");
  EXPECT_THAT(two, Contains(HasSubstr("the part of the query that it fits best")));
  EXPECT_THAT(two, Contains(HasSubstr("so that each part of the query has hits")));
  EXPECT_THAT(explained(few, "weather_forecast"), Contains(HasSubstr("the query is its name")));
  EXPECT_THAT(explained(few, "codeweather"), Contains(HasSubstr("the query is its name")));
}

TEST(Ranker, an_explanation_names_words_and_fields) {
  const Ranker ranker({screenshot(), records()});
  const std::vector<std::string> lines = ranker.explain("take capture", 0);
  EXPECT_THAT(lines, Contains(HasSubstr("take (name, description)")));
  EXPECT_THAT(lines, Contains(HasSubstr("capture means screenshot")));
  EXPECT_THAT(lines.back(), HasSubstr("= "));
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
  EXPECT_THAT(ranker.suggest("ecoh-ad", 5), UnorderedElementsAre("echo_add", "echo_echo"));
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

TEST(Ranker, beside_a_tool_that_has_the_only_word_nothing_vague_is_suggested) {
  const Ranker ranker({make_document("echo", "read_my_resource", "A resource"),
                       make_document("echo", "echo", "Reads text and says it"),
                       make_document("echo", "study", "Looks into a book")});
  EXPECT_THAT(ranker.suggest("read", 5), Not(Contains("echo_study")));
  EXPECT_THAT(ranker.suggest("read", 5), Contains("echo_read_my_resource"));
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

TEST(Ranker, small_words_tell_opposites_apart_where_names_have_them) {
  const std::vector<Document> switches = {
      make_document("home", "turn_off", "Turns a device off"),
      make_document("home", "turn_on", "Turns a device on"),
      make_document("home", "set_light", "Sets colour and brightness of lights")};
  EXPECT_EQ(ranked(switches, "turn on the fan").front(), "home_turn_on");
  EXPECT_EQ(ranked(switches, "turn the fan off").front(), "home_turn_off");
  EXPECT_EQ(ranked(switches, "on").front(), "home_turn_on");
}

TEST(Ranker, a_synonym_that_the_query_says_as_well_counts_once) {
  const Ranker ranker({make_document("chat", "post_message", "Post a message to a channel"),
                       make_document("notes", "find_note", "Find a note")});
  // "tweet" means post as well.
  const std::vector<std::string> lines = ranker.explain("post a tweet", 0);
  EXPECT_THAT(lines, Contains(HasSubstr("post")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("tweet"))));
}

TEST(Ranker, a_single_guessed_word_is_never_certain) {
  const Ranker ranker({make_document("browser", "hover", "Hover over an element"),
                       make_document("browser", "click", "Click an element")});
  EXPECT_TRUE(ranker.rank("hoover").low());
  EXPECT_FALSE(ranker.rank("hover").low());
}

}  // namespace
}  // namespace pi_mcp::search
