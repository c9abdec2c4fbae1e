#include "search_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"

namespace bench {
namespace {

using pi_mcp::Result;
namespace catalog = pi_mcp::catalog;
namespace json = pi_mcp::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view two_tools =
    R"({"server":"fs","name":"read_file","description":"Read a file","inputSchema":{"type":"object"}})"
    "\n\n"
    R"({"server":"mail","name":"send","description":"Send a letter"})"
    "\n";

EvaluationReport evaluated(std::string_view queries) {
  catalog::Catalog catalog;
  EXPECT_TRUE(fill_catalog(two_tools, catalog));
  const Result<std::vector<EvaluationQuery>> parsed = parse_evaluation_queries(queries);
  EXPECT_TRUE(parsed);
  pi_mcp::registry::SearchableTools tools;
  tools.update(catalog, catalog.servers(), {});
  return evaluate_search(tools, parsed.value_or(std::vector<EvaluationQuery>{}));
}

std::string query_error(std::string_view lines) {
  const Result<std::vector<EvaluationQuery>> parsed = parse_evaluation_queries(lines);
  return parsed ? "" : parsed.error().message();
}

TEST(SearchEvaluation, measures_are_means_over_the_queries) {
  const EvaluationReport report = evaluated(R"({"query":"read file","relevant":[["fs","read_file"]]}
{"query":"zzzz","relevant":[["mail","send"]]}
)");
  EXPECT_EQ(report.queries, 2U);
  EXPECT_EQ(report.tools, 2U);
  EXPECT_EQ(report.recall_at_1, 0.5);
  EXPECT_EQ(report.mrr, 0.5);
  EXPECT_EQ(report.empty, 0.5);
  EXPECT_GT(report.tokens_5, 0);
}

TEST(SearchEvaluation, queries_without_a_right_tool_are_counted_apart) {
  const EvaluationReport report =
      evaluated(R"({"id":"a","query":"read file","relevant":[["fs","read_file"]]}
{"id":"b","query":"letter","relevant":[]}
{"id":"c","query":"zzzz","relevant":[],"groups":[]}
)");
  EXPECT_EQ(report.queries, 1U);
  EXPECT_EQ(report.without_right_tool, 2U);
  EXPECT_EQ(report.recall_at_1, 1);
  EXPECT_EQ(report.empty, 0);
  EXPECT_EQ(report.unknown_tools, 0U);
  EXPECT_THAT(report.run, HasSubstr(R"({"id":"b","ranked":[["mail","send"]],"chars":)"));
  EXPECT_THAT(report_json(report), HasSubstr(R"("queries":1,"tools":2,"without_right_tool":2,)"));
  EXPECT_THAT(report_text(report), HasSubstr("2 more for which no tool is right"));
  EXPECT_THAT(report_text(evaluated(R"({"query":"letter","relevant":[["mail","send"]]})")),
              Not(HasSubstr("no tool is right")));
}

TEST(SearchEvaluation, means_over_nothing_are_zero) {
  const EvaluationReport report = evaluated(R"({"query":"letter","relevant":[]})");
  EXPECT_EQ(report.queries, 0U);
  EXPECT_EQ(report.recall_at_5, 0);
  EXPECT_EQ(report.tokens_5, 0);
}

TEST(SearchEvaluation, each_group_is_a_need_of_its_own) {
  const EvaluationReport report = evaluated(
      R"({"query":"read file","relevant":[["fs","read_file"],["mail","send"]],"groups":[[0],[1]]})");
  EXPECT_EQ(report.recall_at_5, 0.5);
}

TEST(SearchEvaluation, the_run_has_the_ranked_tools_of_each_query) {
  const EvaluationReport report =
      evaluated(R"({"id":"q","query":"letter","relevant":[["mail","send"]]})");
  EXPECT_THAT(report.run, StartsWith(R"({"id":"q","ranked":[["mail","send"]],"chars":)"));
}

TEST(SearchEvaluation, an_id_comes_back_as_it_was_given) {
  EXPECT_THAT(evaluated(R"({"id":5,"query":"letter","relevant":[["mail","send"]]})").run,
              StartsWith(R"({"id":5,"ranked")"));
  EXPECT_THAT(evaluated(R"({"query":"letter","relevant":[["mail","send"]]})").run,
              StartsWith(R"({"id":"1","ranked")"));
}

TEST(SearchEvaluation, a_byte_order_mark_is_no_part_of_the_first_line) {
  EXPECT_EQ(
      evaluated("\xEF\xBB\xBF{\"query\":\"letter\",\"relevant\":[[\"mail\",\"send\"]]}").queries,
      1U);
}

TEST(SearchEvaluation, right_tools_that_nobody_can_find_are_counted) {
  const EvaluationReport report = evaluated(
      R"({"query":"letter","relevant":[["mail","send"],["mail","sned"],["mail","sned"]]})");
  EXPECT_EQ(report.unknown_tools, 1U);
  EXPECT_THAT(report_text(report), HasSubstr("1 of the right tools are not among them"));
  EXPECT_THAT(report_json(report), HasSubstr("\"unknown_tools\":1"));
}

TEST(SearchEvaluation, the_report_has_the_documented_names) {
  const std::string json = report_json(evaluated(R"({"query":"x","relevant":[["a","b"]]})"));
  const Result<json::Document> document = json::Document::parse(json);
  ASSERT_TRUE(document);
  for (const char* name :
       {"recall_at_1", "recall_at_5", "recall_at_10", "mrr", "ndcg_at_10", "empty", "tokens_5"}) {
    EXPECT_TRUE(document->root().find(name)) << name;
  }
}

TEST(SearchEvaluation, a_wrong_line_is_named) {
  EXPECT_THAT(query_error("{"), StartsWith("line 1: column 2: "));
  EXPECT_THAT(query_error("\n[]"), StartsWith("line 2: not a JSON object"));
  EXPECT_THAT(query_error(R"({"query":"x"})"), HasSubstr("relevant"));
  EXPECT_THAT(query_error(R"({"query":"x","relevant":[["a","b"]],"groups":[[1]]})"),
              HasSubstr("groups"));
  for (const char* relevant : {R"(["fs/read_file"])",
                               R"([{"server":"fs","tool":"read_file"}])",
                               R"([["fs"]])",
                               R"("fs")",
                               "null"}) {
    EXPECT_THAT(query_error(R"({"query":"x","relevant":)" + std::string(relevant) + "}"),
                HasSubstr("relevant"))
        << relevant;
  }
  EXPECT_THAT(query_error(R"({"query":"x","relevant":[["a","b"]],"groups":[[]]})"),
              HasSubstr("groups"));
  EXPECT_THAT(query_error(R"({"query":"x","relevant":[["a","b"]],"groups":[]})"),
              HasSubstr("groups"));
  EXPECT_THAT(query_error(R"({"query":"x","relevant":[],"groups":[[0]]})"), HasSubstr("groups"));
  EXPECT_THAT(query_error("\n"), HasSubstr("no query"));
  catalog::Catalog catalog;
  const Result<void> filled = fill_catalog(R"({"server":"s"})", catalog);
  ASSERT_FALSE(filled);
  EXPECT_THAT(filled.error().message(), StartsWith("line 1: "));
}

}  // namespace
}  // namespace bench
