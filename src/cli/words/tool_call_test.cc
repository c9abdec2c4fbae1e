#include "cli/words/tool_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/words/tool_arguments.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

const ToolNames names{
    .is_server = [](const std::string& server) { return server == "git.hub" || server == "fetch"; },
    .is_tool =
        [](const std::string& server, const std::string& tool) {
          return tool == "fetch" || (server.empty() ? tool == "git_hub_issue" : tool == "issue");
        }};

// "server|tool|words|brackets"
std::string called(const Words& words) {
  const Result<CalledTool> tool = called_tool(words, names);
  return tool ? tool->server + "|" + tool->tool + "|" + std::to_string(tool->words) + "|" +
                    tool->in_brackets
              : "error: " + tool.error().message();
}

std::string bracketed(std::string_view text) {
  const Result<std::vector<GivenArgument>> given = arguments_in_brackets(text);
  const Result<std::string> json = given ? tool_arguments(*given, {}, {}) : fail(given.error());
  return json ? *json : "error: " + json.error().message();
}

TEST(ToolCall, a_server_may_stand_before_its_tool) {
  EXPECT_EQ(called({"git_hub_issue", "a=1"}), "|git_hub_issue|1|");
  EXPECT_EQ(called({"git.hub.issue", "a=1"}), "git.hub|issue|1|");
  EXPECT_EQ(called({"git.hub/new/issue"}), "git.hub|new/issue|1|");
  EXPECT_EQ(called({"git.hub", "issue", "a=1"}), "git.hub|issue|2|");
  EXPECT_EQ(called({"git.hub", "nothing"}), "git.hub|nothing|2|");
  EXPECT_EQ(called({"other.tool", "x"}), "|other.tool|1|");
}

TEST(ToolCall, a_tool_called_like_its_server_is_still_a_tool) {
  EXPECT_EQ(called({"fetch", "url=x"}), "|fetch|1|");
  EXPECT_EQ(called({"fetch", "https://x"}), "|fetch|1|");
  EXPECT_EQ(called({"fetch", "word"}), "|fetch|1|");
  EXPECT_EQ(called({"fetch", "fetch"}), "fetch|fetch|2|");
}

TEST(ToolCall, brackets_may_go_over_several_words) {
  EXPECT_EQ(called({"git.hub.issue(a: 1)"}), "git.hub|issue|1|a: 1");
  EXPECT_EQ(called({"git.hub", "issue(a:", "1)"}), "git.hub|issue|3|a: 1");
  EXPECT_EQ(called({"git_hub_issue()"}), "|git_hub_issue|1|");
  EXPECT_THAT(called({"git_hub_issue(a: 1", "b"}), HasSubstr("is not closed"));
  EXPECT_EQ(called({"git_hub_issue", "a=f(x)"}), "|git_hub_issue|1|");
}

TEST(ToolCall, brackets_hold_keys_and_values_with_or_without_quotes) {
  EXPECT_EQ(bracketed(R"(a: 1, b: "x, y", c: some words)"),
            R"({"a":1,"b":"x, y","c":"some words"})");
  EXPECT_EQ(bracketed("a=1, b := true, 'c d': null"), R"({"a":1,"b":true,"c d":null})");
  EXPECT_EQ(bracketed("q: 'it\\'s \"q\"', r: \"a\\nb\""), R"({"q":"it's \"q\"","r":"a\nb"})");
  EXPECT_EQ(bracketed("o: {a: [1, x, 'y'], \"b\": {}}, l: []"),
            R"({"o":{"a":[1,"x","y"],"b":{}},"l":[]})");
  EXPECT_EQ(bracketed("a: count(*), b: 2"), R"j({"a":"count(*)","b":2})j");
  EXPECT_EQ(bracketed("sql: select f(a, b) from t"), R"({"sql":"select f(a, b) from t"})");
  EXPECT_EQ(bracketed("a: 1,"), R"({"a":1})");
  EXPECT_EQ(bracketed("{a: 1}"), R"({"a":1})") << "one object is all arguments";
  EXPECT_EQ(bracketed(" "), "");
}

TEST(ToolCall, what_is_wrong_in_brackets_is_named) {
  EXPECT_THAT(bracketed("a: "), HasSubstr("a value is missing"));
  EXPECT_THAT(bracketed("a: \"x"), HasSubstr("a quote is not closed"));
  EXPECT_THAT(bracketed("a: {b: 1"), HasSubstr("a } is missing"));
  EXPECT_THAT(bracketed("a: [1 2"), HasSubstr("a ] is missing"));
  EXPECT_THAT(bracketed("a: \"x\" y"), HasSubstr("a comma is missing"));
  EXPECT_THAT(bracketed("a: " + std::string(100, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(bracketed("a: \"\\q\""), HasSubstr("not valid"));
}

}  // namespace
}  // namespace pi_mcp::cli
