#include "base/text.h"

#include <gtest/gtest.h>

namespace pi_mcp::text {
namespace {

TEST(Cut, leaves_short_text_alone) {
  EXPECT_EQ(cut("short", 50), "short");
}

TEST(Cut, cuts_at_the_last_word_that_fits) {
  EXPECT_EQ(cut("Take a screenshot of the page or element, with options and more", 50),
            "Take a screenshot of the page or element, with...");
}

TEST(Cut, cuts_inside_a_word_when_there_is_no_late_space) {
  EXPECT_EQ(cut(std::string(60, 'x'), 50), std::string(50, 'x') + "...");
}

TEST(Cut, never_splits_a_code_point) {
  EXPECT_EQ(cut("a😀b", 2), "a...");
}

TEST(Printable, removes_escape_sequences_and_control_characters) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m\x1b]0;title\a!\x07\r\n"), "red!  \n");
}

TEST(Printable, removes_marks_that_nobody_sees) {
  EXPECT_EQ(printable("a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061cd"), "abcd");
  EXPECT_EQ(printable("x\U000E0001\U000E0068\U000E0069\U000E007Fy"), "xy");
  EXPECT_EQ(printable("\U0001F3F4\U000E0068\U000E0069\U000E007F"), "\U0001F3F4");
  EXPECT_EQ(printable("a\u200bb\ufeffc\u00add\u2060e\u180ef\u3164g\ufffbh\u206fi\u1160j"),
            "abcdefghij");
}

TEST(Printable, makes_one_line_of_what_breaks_lines_without_a_line_feed) {
  EXPECT_EQ(printable("a\u2028b\u2029c\u0085d"), "a b c d");
}

TEST(Printable, keeps_scripts_and_emoji) {
  for (const std::string_view kept :
       {"\u0634\u0643\u0631\u0627 \u05ea\u05d5\u05d3\u05d4",  // Arabic, Hebrew
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",   // Persian, with ZWNJ
        "\U0001F468\u200d\U0001F469\u200d\U0001F467 \u2764\ufe0f",
        "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F"}) {
    EXPECT_EQ(printable(kept), kept);
  }
}

TEST(Printable, replaces_invalid_utf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\xef\xbf\xbd"
            "b");
}

TEST(PrintableLine, has_no_tabs_and_line_feeds) {
  EXPECT_EQ(printable_line("a\tb\n\x1b[31mc"), "a b c");
}

TEST(Shortened, cuts_between_characters_and_says_so) {
  EXPECT_EQ(shortened("", 2), "");
  EXPECT_EQ(shortened("\u00e4\u00f6", 2), "\u00e4\u00f6");
  EXPECT_EQ(shortened("\u00e4\u00f6\u00fc", 2), "\u00e4\u2026");
  EXPECT_EQ(shortened("abc", 1), "\u2026");
}

TEST(GlobMatch, knows_star_and_question_mark) {
  EXPECT_TRUE(glob_match("get_*", "get_user"));
  EXPECT_TRUE(glob_match("*_?ser", "get_user"));
  EXPECT_TRUE(glob_match("***", ""));
  EXPECT_FALSE(glob_match("get_?", "get_"));
  EXPECT_FALSE(glob_match("get", "get_user"));
}

TEST(EditDistance, counts_a_neighbour_swap_once) {
  EXPECT_EQ(edit_distance("serach", "search"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(SizeText, prints_as_the_reference_does) {
  EXPECT_EQ(size_text(12), "12B");
  EXPECT_EQ(size_text(51200), "50.0KB");
  EXPECT_EQ(size_text(std::size_t{5} * 1024 * 1024), "5.0MB");
}

TEST(Text, edit_distance_counts_code_points_of_other_scripts) {
  EXPECT_EQ(edit_distance(code_points("файл"), code_points("файлы")), 1U);
  EXPECT_EQ(edit_distance(code_points("файл"), code_points("фалй")), 1U);
  EXPECT_EQ(edit_distance(code_points("ab"), code_points("")), 2U);
  EXPECT_EQ(code_points("ж\xff"), U"ж\uFFFD");
}

}  // namespace
}  // namespace pi_mcp::text
