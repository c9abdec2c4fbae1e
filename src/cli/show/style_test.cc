#include "cli/show/style.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

TEST(Style, plain_text_has_no_attributes) {
  EXPECT_EQ(Style().red("x"), "x");
  EXPECT_EQ(Style(true).red("x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(Style(true).red(""), "");
}

TEST(Style, columns_count_code_points_and_no_attributes) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("✓ né"), 4U);
  EXPECT_EQ(columns_of(Style(true).bold("abc")), 3U);
  EXPECT_EQ(columns_of("\x1b[3"), 0U) << "an attribute that does not end";
}

TEST(Style, a_cut_never_splits_a_character) {
  EXPECT_EQ(cut_to_columns("äöü", 3), "äöü");
  EXPECT_EQ(cut_to_columns("äöüß", 3), "äö…");
  EXPECT_EQ(cut_to_columns("ab", 1), "…");
  EXPECT_EQ(cut_to_columns("ab", 0), "");
}

TEST(TextTable, columns_are_aligned_and_lines_have_no_trailing_spaces) {
  TextTable table;
  table.add({Style(true).green("✓"), "github", "12 tools", ""});
  table.add({"✗", "x", "", "broken"});
  table.add({"○"});
  EXPECT_EQ(table.text("  "),
            "  \x1b[32m✓\x1b[0m  github  12 tools\n"
            "  ✗  x                 broken\n"
            "  ○\n");
}

TEST(Fitted, lines_that_are_too_long_are_broken_between_words) {
  EXPECT_EQ(fitted("  one two three four\nshort\n", 12), "  one two\n    three\n    four\nshort\n");
  EXPECT_EQ(fitted("a  b", 3), "a\n b") << "no spaces at the end of a line";
  EXPECT_EQ(fitted("unbreakable\n\n", 4), "unbreakable\n\n");
  EXPECT_EQ(fitted("", 10), "");
}

TEST(Fitted, attributes_take_no_room) {
  const Style style(true);
  EXPECT_EQ(fitted(style.dim("one") + " two", 7), style.dim("one") + " two");
}

TEST(TextTable, is_not_filled_up_where_there_is_no_room_for_it) {
  TextTable table;
  table.add({"a", "b"});
  table.add({"long one", "c"});
  EXPECT_EQ(table.text("", 11), "a         b\nlong one  c\n");
  EXPECT_EQ(table.text("", 10), "a  b\nlong one  c\n");
}

}  // namespace
}  // namespace pi_mcp::cli
