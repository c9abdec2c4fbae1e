#include "attach/greeting.h"

#include <gtest/gtest.h>

namespace pi_mcp::attach {
namespace {

TEST(GreetingTest, words_come_back_empty_ones_too) {
  EXPECT_EQ(parse_greeting(text_of(Greeting{.nonce = "12"})).value_or(Greeting{}).nonce, "12");
  const auto welcome = parse_welcome(text_of(Welcome{.echo = "12", .proof = "", .nonce = "34"}));
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->echo + "|" + welcome->proof + "|" + welcome->nonce, "12||34");
  const auto hand_over = parse_hand_over(text_of(HandOver{.echo = "34", .proof = "56"}));
  ASSERT_TRUE(hand_over);
  EXPECT_EQ(hand_over->echo + "|" + hand_over->proof, "34|56");
}

TEST(GreetingTest, another_number_of_words_is_none) {
  EXPECT_FALSE(parse_greeting("1 2"));
  EXPECT_FALSE(parse_welcome("1 2"));
  EXPECT_FALSE(parse_welcome("1 2 3 4"));
  EXPECT_FALSE(parse_hand_over("1"));
}

TEST(GreetingTest, no_number_comes_twice) {
  EXPECT_NE(new_nonce(), new_nonce());
}

}  // namespace
}  // namespace pi_mcp::attach
