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

TEST(ShellWord, a_line_is_divided_only_where_a_shell_would_do_no_more) {
  EXPECT_EQ(plain_words("npx  -y @scope/x ${HOME}"),
            (std::vector<std::string>{"npx", "-y", "@scope/x", "${HOME}"}));
  for (const char* line : {"sh -c 'a b'", "a | b", "a && b", "a \\ b", "a $(b)", "a > b"}) {
    EXPECT_FALSE(plain_words(line)) << line;
  }
}

}  // namespace
}  // namespace pi_mcp::text
