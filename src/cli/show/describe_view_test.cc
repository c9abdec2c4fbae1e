#include "cli/show/describe_view.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

tool::DescribeFacts facts_of(const std::string& description, const std::string& schema) {
  tool::DescribeFacts facts;
  facts.tool.name = "files_read";
  facts.tool.server = "files";
  facts.tool.description = description;
  facts.tool.input_schema = SharedText(schema);
  return facts;
}

TEST(DescribeView, every_parameter_has_a_line_with_its_description_beside_it) {
  const std::string schema =
      R"({"type":"object","required":["path"],"properties":{)"
      R"("path":{"type":"string","description":"Where the file is, from the root of the server"},)"
      R"("head":{"type":"number","description":"Lines","default":3},"plain":{"type":"boolean"},)"
      R"("a_name_that_is_far_too_long":{"type":"string","description":"Beside nothing"},)"
      R"("filter":{"type":"object","properties":{"deep":{"type":"string","description":"In it"}}}}})";
  EXPECT_EQ(
      describe_view(facts_of("Reads a file of the server.\n\nOnly text.", schema), Style(), 60),
      "files_read\n"
      "of files\n"
      "\n"
      "  Reads a file of the server.\n"
      "\n"
      "  Only text.\n"
      "\n"
      "Parameters\n"
      "  path (string) *required*  Where the file is, from the root\n"
      "                            of the server\n"
      "  head (number)             Lines [default: 3]\n"
      "  plain (boolean)\n"
      "  a_name_that_is_far_too_long (string)\n"
      "                            Beside nothing\n"
      "  filter (object)\n"
      "    deep (string)           In it\n");
}

TEST(DescribeView, values_that_have_no_room_in_their_line_are_listed_below) {
  std::string schema = R"({"type":"object","properties":{"unit":{"enum":["u0")";
  for (int i = 1; i < 100; ++i) {
    schema += ",\"u" + std::to_string(i) + "\"";
  }
  const std::string view = describe_view(facts_of("", schema + "]}}}"), Style(), 80);
  EXPECT_EQ(view.find("\"u99\""), view.rfind("\"u99\""));
  EXPECT_NE(view.find("\n\nAll values of unit\n  \"u0\", \"u1\", "), std::string::npos) << view;
  EXPECT_TRUE(view.ends_with(", \"u99\"\n")) << view;
}

TEST(DescribeView, a_name_that_the_server_does_not_know_has_the_servers_beside_it) {
  tool::DescribeFacts facts = facts_of("", R"({"type":"object"})");
  facts.tool.original = "read";
  EXPECT_TRUE(describe_view(facts, Style(), 80).starts_with("files_read\nof files\n\n"));
  facts.tool.original = "re.ad";
  EXPECT_TRUE(
      describe_view(facts, Style(), 80).starts_with("files_read\nof files, where it is re.ad\n"));
}

TEST(DescribeView, nothing_of_a_server_reaches_the_terminal_as_a_command) {
  const std::string view = describe_view(
      facts_of("\x1b[2Jgone", R"({"properties":{"a\u001b[2J":{"description":"\u001b[1m"}}})"),
      Style(),
      80);
  EXPECT_EQ(view.find('\x1b'), std::string::npos);
}

TEST(DescribeView, a_tool_without_words_or_parameters_says_so) {
  const std::string view = describe_view(facts_of("", R"({"type":"object"})"), Style(), 80);
  EXPECT_EQ(view, "files_read\nof files\n\n  (no description)\n\nParameters\n  (object)\n");
}

}  // namespace
}  // namespace pi_mcp::cli
