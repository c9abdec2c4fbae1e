#include "search/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Words, normalising_gives_the_golden_of_the_reference_adapter) {
  EXPECT_EQ(normalise("getUserByID_take-screenshot/x:y.z"), "get user by id take screenshot x y z");
}

TEST(Words, runs_of_joints_become_one_space_and_other_characters_stay) {
  EXPECT_EQ(normalise("a__./:-b  c+D"), "a b  c+d");
  EXPECT_EQ(normalise("-a-"), " a ");
}

TEST(Words, a_space_goes_only_between_lower_and_upper_case) {
  EXPECT_EQ(normalise("HTTPServer v2Beta"), "httpserver v2 beta");
}

TEST(Words, other_scripts_are_lower_case_too) {
  EXPECT_EQ(normalise("ÜBERSICHT Москва"), "übersicht москва");
}

TEST(Words, tokens_are_the_goldens_of_the_reference_adapter) {
  EXPECT_THAT(tokens("getUserByID take_screenshot v2.0 日本語テスト 検 é"),
              ElementsAre("get",
                          "user",
                          "by",
                          "id",
                          "take",
                          "screenshot",
                          "v2",
                          "0",
                          "日本",
                          "本語",
                          "語テ",
                          "テス",
                          "スト",
                          "検",
                          "é"));
}

TEST(Words, scripts_are_separated_where_they_meet) {
  EXPECT_THAT(tokens("naïve日x"), ElementsAre("na", "ï", "ve", "日", "x"));
}

TEST(Words, long_runs_stay_whole) {
  std::string run;
  for (std::size_t i = 0; i < paired_run_max; ++i) {
    run += "あ";
  }
  EXPECT_EQ(tokens(run).size(), paired_run_max - 1);
  EXPECT_THAT(tokens(run + "い"), ElementsAre(run + "い"));
}

TEST(Words, text_without_letters_has_no_tokens) {
  EXPECT_THAT(tokens(""), IsEmpty());
  EXPECT_THAT(tokens(" +*!? — … 🎉"), IsEmpty());
}

TEST(Words, invalid_utf8_separates) {
  EXPECT_THAT(tokens("a\xff"
                     "b\xe6\x97"),
              ElementsAre("a", "b"));
}

}  // namespace
}  // namespace pi_mcp::search
