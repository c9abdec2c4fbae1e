#include "catalog/keywords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"

namespace pi_mcp::catalog {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> taken(std::string_view list) {
  const Result<json::Document> document = json::Document::parse_view(list);
  EXPECT_TRUE(document.has_value()) << list;
  return keywords_in(document->root());
}

CatalogTool tool(std::string description) {
  CatalogTool tool;
  tool.server = "github";
  tool.original = "create_issue";
  tool.description = std::move(description);
  return tool;
}

TEST(Keywords, words_and_short_phrases_are_taken_in_lower_case_and_once) {
  EXPECT_THAT(taken(R"(["Report a Bug"," ticket ","TICKET","c++","e-mail","Aufgabe","チケット"])"),
              ElementsAre("report a bug", "ticket", "c++", "e-mail", "aufgabe", "チケット"));
}

TEST(Keywords, what_is_no_word_is_left_out) {
  EXPECT_THAT(taken(R"(["", 7, null, ["a"], "one two three four", "http://evil.example/x", "a\nb",)"
                    R"("<b>", "42", "a\u202eb", "{\"tool\":1}"])"),
              IsEmpty());
  EXPECT_THAT(taken("[\"" + std::string(keyword_bytes_max + 1, 'a') + "\"]"), IsEmpty());
  EXPECT_THAT(taken(R"({"a":"b"})"), IsEmpty());
}

TEST(Keywords, eight_of_a_tool_are_kept) {
  EXPECT_EQ(taken(R"(["a","b","c","d","e","f","g","h","i"])").size(), keywords_per_tool_max);
}

TEST(Keywords, a_tool_with_another_description_is_another_tool) {
  EXPECT_EQ(tool_digest(tool("one")), tool_digest(tool("one")));
  EXPECT_NE(tool_digest(tool("one")), tool_digest(tool("two")));
  CatalogTool moved = tool("one");
  moved.server = "other";
  moved.name = "other_create_issue";
  EXPECT_EQ(tool_digest(tool("one")), tool_digest(moved)) << "whatever it is called here";
}

TEST(Keywords, a_file_keeps_what_it_had) {
  const std::string one = tool_digest(tool("one"));
  const std::string two = tool_digest(tool("two"));
  const std::string first = with_keywords("", {{one, {"bug"}}, {two, {"task"}}}).value();
  const std::string second = with_keywords(first, {{one, {"ticket"}}}).value();
  EXPECT_THAT(read_keywords(second),
              ElementsAre(testing::Pair(std::min(one, two), testing::_),
                          testing::Pair(std::max(one, two), testing::_)));
  EXPECT_THAT(read_keywords(second).at(one), ElementsAre("ticket"));
  EXPECT_THAT(read_keywords(second).at(two), ElementsAre("task"));
}

TEST(Keywords, those_written_longest_ago_make_room) {
  std::string file;
  Keywords many;
  for (std::size_t i = 0; i < keyword_tools_max; ++i) {
    many[sha256_hex(std::to_string(i)).substr(0, 32)] = {"word"};
  }
  file = with_keywords(file, many).value();
  const std::string oldest = many.begin()->first;
  const std::string newest = tool_digest(tool("new"));
  const Keywords kept = read_keywords(with_keywords(file, {{newest, {"new"}}}).value());
  EXPECT_EQ(kept.size(), keyword_tools_max);
  EXPECT_TRUE(kept.contains(newest));
  EXPECT_FALSE(kept.contains(oldest));
}

TEST(Keywords, a_file_that_is_not_understood_is_not_written_over) {
  for (const char* foreign : {R"({"version":2,"tools":{}})", R"({"version":1,"too)", "[]"}) {
    EXPECT_THAT(read_keywords(foreign), IsEmpty());
    const Result<std::string> text = with_keywords(foreign, {{tool_digest(tool("x")), {"a"}}});
    ASSERT_FALSE(text.has_value()) << foreign;
    EXPECT_THAT(text.error().message(), HasSubstr("move it away"));
  }
}

TEST(Keywords, what_others_wrote_into_the_file_is_bounded_too) {
  EXPECT_THAT(read_keywords(R"({"version":1,"tools":{"short":["a"],)"
                            R"("0123456789abcdef0123456789abcdef":["good","<bad>"]}})"),
              ElementsAre(testing::Pair("0123456789abcdef0123456789abcdef", ElementsAre("good"))));
}

}  // namespace
}  // namespace pi_mcp::catalog
