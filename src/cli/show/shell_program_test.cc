#include "cli/show/shell_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const ShellProgram shop{
    .server = "shop", .call = {"call", "--server", "shop"}, .words = {"emit-cli", "shop"}};

catalog::CatalogTool tool(std::string name, std::string description = "") {
  catalog::CatalogTool made;
  made.server = "shop";
  made.name = "shop_" + name;
  made.original = std::move(name);
  made.description = std::move(description);
  return made;
}

// The script without what stands in its single quotes: all that is left is ours.
std::string outside_of_quotes(const std::string& script) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (script[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && script[i] == '\\') {
      ++i;  // what it makes literal: a single quote
    } else if (!quoted) {
      out += script[i];
    }
  }
  EXPECT_FALSE(quoted) << "a quote is open at the end";
  return out;
}

TEST(ShellScript, runs_the_tool_by_its_exact_name) {
  const std::string text = shell_script(shop, {tool("list_issues")}).text;
  EXPECT_THAT(text, StartsWith("#!/bin/sh\n# Made by: pi-mcp emit-cli shop\n"));
  EXPECT_THAT(text, HasSubstr("\n  'list_issues' | 'list-issues') tool='list_issues' ;;\n"));
  EXPECT_THAT(text,
              HasSubstr("\nexec \"$pi_mcp\" 'call' '--server' 'shop' --tool \"$tool\" \"$@\"\n"));
}

TEST(ShellScript, nothing_that_a_server_says_is_outside_of_quotes) {
  const std::string attack = "x'; touch ran; '$(touch ran)`touch ran`\n;; *) touch ran ;;\nEOF\n";
  catalog::CatalogTool nasty = tool("it's; touch ran", attack);
  nasty.input_schema =
      SharedText(std::string(R"({"type":"object","required":["k'; touch ran"],"properties":)"
                             R"({"k'; touch ran":{"description":"'; touch ran","default":"'"}}})"));
  const std::string left = outside_of_quotes(shell_script(shop, {nasty}).text);
  EXPECT_THAT(left, Not(HasSubstr("touch")));
  EXPECT_THAT(left, HasSubstr("help_of() {\n  case $1 in\n"));
}

TEST(ShellScript, a_name_that_is_a_word_of_the_shell_is_a_name) {
  const std::string text = shell_script(shop, {tool("esac"), tool("*"), tool("--help")}).text;
  EXPECT_THAT(text, HasSubstr("\n  'esac') tool='esac' ;;\n"));
  EXPECT_THAT(text, HasSubstr("\n  '*') tool='*' ;;\n"));
  EXPECT_THAT(text, HasSubstr("\n  '--help') tool='--help' ;;\n"));
}

TEST(ShellScript, a_name_with_hyphens_is_of_the_tool_that_is_called_so) {
  const std::string text = shell_script(shop, {tool("a_b"), tool("a.b"), tool("a-b")}).text;
  EXPECT_THAT(text, HasSubstr("\n  'a_b') tool='a_b' ;;\n"));
  EXPECT_THAT(text, HasSubstr("\n  'a.b') tool='a.b' ;;\n"));
  EXPECT_THAT(text, HasSubstr("\n  'a-b') tool='a-b' ;;\n"));
  const std::string other = shell_script(shop, {tool("c_d"), tool("c.d")}).text;
  EXPECT_THAT(other, HasSubstr("\n  'c_d' | 'c-d') tool='c_d' ;;\n"));
  EXPECT_THAT(other, HasSubstr("\n  'c.d') tool='c.d' ;;\n")) << "the first has it";
}

TEST(ShellScript, names_that_nobody_can_write_and_resources_are_left_out) {
  catalog::CatalogTool resource = tool("read_logo");
  resource.resource_uri = "shop://logo";
  const ShellScript script =
      shell_script(shop, {tool("a"), tool("b\nc"), tool(std::string("d\0", 2)), resource});
  EXPECT_EQ(script.left_out.size(), 2U);
  EXPECT_THAT(script.text, HasSubstr("shop: 1 tool of an MCP server"));
  EXPECT_THAT(script.text, Not(HasSubstr("read_logo")));
}

TEST(ShellScript, a_server_that_is_brought_along_stands_in_it_as_it_was_written) {
  const ShellProgram brought{.server = "time",
                             .call = {"call", "--stdio", "uvx 'mcp-server-time'"},
                             .words = {"emit-cli", "--stdio", "uvx 'mcp-server-time'\nrm"}};
  const std::string text = shell_script(brought, {tool("now")}).text;
  EXPECT_THAT(text, HasSubstr(R"( '--stdio' 'uvx '\''mcp-server-time'\''' --tool)"));
  EXPECT_THAT(text, Not(HasSubstr("\nrm"))) << "a comment stays one line";
}

}  // namespace
}  // namespace pi_mcp::cli
