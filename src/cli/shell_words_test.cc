#include "cli/shell_words.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

TEST(ShellWords, every_step_of_the_tool_becomes_a_command) {
  EXPECT_EQ(in_shell_words("Use mcp({}) to see"), "Use pi-mcp status to see");
  EXPECT_EQ(
      in_shell_words("mcp({ server: \"name\" }) to list tools, mcp({ search: \"...\" }) to x"),
      "pi-mcp list SERVER to list tools, pi-mcp search WORDS to x");
  EXPECT_EQ(in_shell_words("Use mcp({ connect: \"my files\" })."),
            "Use pi-mcp connect 'my files'.");
  EXPECT_EQ(in_shell_words("mcp({ search: \"...\", server: \"fs\" })"),
            "pi-mcp search WORDS --server fs");
  EXPECT_EQ(in_shell_words("mcp({ describe: \"a_b\" })"), "pi-mcp describe a_b");
  EXPECT_EQ(in_shell_words("mcp({ instructions: \"fs\" })"), "pi-mcp list fs --instructions");
  EXPECT_EQ(in_shell_words("mcp({ tool: \"a_b\", args: {} })"), "pi-mcp call a_b key=value");
  EXPECT_EQ(in_shell_words("12 of 40 \u2014 offset: 12 for more"),
            "12 of 40 \u2014 --offset 12 for more");
}

TEST(ShellWords, what_is_not_understood_stays_as_it_is) {
  for (const char* text : {"",
                           "mcp({",
                           "mcp({ x",
                           "mcp({ a })",
                           "mcp({ a: 1 })",
                           "mcp({ a: \"b })",
                           "mcp({ unknown: \"x\" })",
                           "no step",
                           "})"}) {
    EXPECT_EQ(in_shell_words(text), text);
  }
  const std::string huge = "mcp({ connect: \"" + std::string(1000, 'x') + "\" })";
  EXPECT_EQ(in_shell_words(huge), huge);
}

TEST(ShellWords, a_word_is_quoted_when_a_shell_would_change_it) {
  EXPECT_EQ(shell_word("a-b_c.d/e"), "a-b_c.d/e");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace pi_mcp::cli
