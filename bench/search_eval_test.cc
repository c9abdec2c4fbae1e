#include "search_eval.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bench {
namespace {

using testing::StartsWith;

using Words = std::vector<std::string>;

std::string complaint(const Words& words) {
  const pi_mcp::Result<EvalOptions> options = parse_eval(words);
  return options ? "none" : options.error().message();
}

TEST(SearchEval, options_stand_anywhere) {
  const auto options = parse_eval(Words{"--catalog", "t", "q", "--json", "--run=r"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->queries, "q");
  EXPECT_EQ(options->catalog, "t");
  EXPECT_EQ(options->run, "r");
  EXPECT_TRUE(options->json);
  EXPECT_EQ(parse_eval(Words{"-", "--catalog=t"})->queries, "-");
  EXPECT_FALSE(parse_eval(Words{"-", "--catalog=t"})->json);
}

TEST(SearchEval, words_that_cannot_be_used_are_named) {
  EXPECT_THAT(complaint({"q"}), StartsWith("it wants the queries and the tools to rank: "));
  EXPECT_THAT(complaint({"--catalog", "t"}), StartsWith("it wants the queries"));
  EXPECT_THAT(complaint({"q", "--catalog"}), StartsWith("--catalog needs a value"));
  EXPECT_THAT(complaint({"q", "--catalog", "t", "--run="}), StartsWith("--run needs a value"));
  EXPECT_THAT(complaint({"q", "--catalog", "t", "--limit=3"}),
              StartsWith("unknown option --limit"));
  EXPECT_THAT(complaint({"q", "--catalog", "t", "--json=1"}), StartsWith("unknown option --json"));
  EXPECT_THAT(complaint({"q", "p", "--catalog", "t"}), StartsWith("one file of queries"));
}

TEST(SearchEval, files_that_cannot_be_used_end_it_with_2) {
  EXPECT_EQ(run_eval(Words{"no/such/queries", "--catalog", "no/such/tools"}), 2);
  EXPECT_EQ(run_eval(Words{}), 2);
}

}  // namespace
}  // namespace bench
