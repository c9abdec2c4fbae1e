#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace pi_mcp::text {
namespace {

TEST(ShellWord, is_left_alone_where_no_shell_changes_it) {
  EXPECT_EQ(shell_word("files_read-1.2/x:y@z"), "files_read-1.2/x:y@z");
}

TEST(ShellWord, is_quoted_where_a_shell_would_divide_or_run_it) {
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

using Words = std::vector<std::string>;

TEST(ShellWords, are_divided_at_spaces_and_kept_together_by_quotation_marks) {
  EXPECT_EQ(shell_words("npx  -y @scope/x ${HOME} a*b? #c"),
            (Words{"npx", "-y", "@scope/x", "${HOME}", "a*b?", "#c"}));
  EXPECT_EQ(shell_words("python3 'a b/s.py' \"c d\" e\\ f"),
            (Words{"python3", "a b/s.py", "c d", "e f"}));
  EXPECT_EQ(shell_words("a'b c'\"d e\"f '' \"\""), (Words{"ab cd ef", "", ""}));
  EXPECT_EQ(shell_words(" \t\n"), Words());
}

TEST(ShellWords, a_backslash_is_itself_in_quotation_marks_where_it_protects_nothing) {
  EXPECT_EQ(shell_words(R"('a\b' "a\b" "a\"b" "a\\b" "\$x" \| a\)"),
            (Words{R"(a\b)", R"(a\b)", R"(a"b)", R"(a\b)", "$x", "|", R"(a\)"}));
}

TEST(ShellWords, what_a_shell_would_do_more_with_is_refused) {
  for (const char* line :
       {"a | b", "a && b", "a $(b)", "a > b", "a; b", "a `b`", "a \"$(b)\"", "(a)"}) {
    EXPECT_FALSE(shell_words(line)) << line;
    EXPECT_TRUE(shell_words(shell_word("sh") + " -c " + shell_word(line))) << line;
  }
  EXPECT_EQ(shell_words("a 'b").error().message(), "the command has a ' that is not closed");
  EXPECT_EQ(shell_words("a | b").error().message(),
            "the command has a | that only a shell understands; put it in single quotes, or write "
            "sh -c 'COMMAND'");
}

}  // namespace
}  // namespace pi_mcp::text
