#include "endpoint/shares.h"

#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

std::vector<Shares::Taken> as_many_as_possible(Shares& shares, const std::string& principal) {
  std::vector<Shares::Taken> taken;
  while (shares.may_take(principal)) {
    taken.push_back(shares.take(principal));
  }
  return taken;
}

TEST(Shares, one_alone_takes_three_quarters) {
  Shares shares(1024);
  EXPECT_EQ(as_many_as_possible(shares, "one").size(), 768U);
}

TEST(Shares, what_is_left_is_for_those_who_have_little) {
  Shares shares(1024);
  const auto greedy = as_many_as_possible(shares, "one");
  EXPECT_FALSE(shares.may_take("one"));
  EXPECT_TRUE(shares.has_much("one"));
  EXPECT_FALSE(shares.has_much("two"));
  const auto modest = as_many_as_possible(shares, "two");
  EXPECT_EQ(modest.size(), 16U);
  EXPECT_TRUE(shares.may_take("three"));
  EXPECT_EQ(shares.total(), 784U);
}

TEST(Shares, nobody_takes_more_than_there_is) {
  Shares shares(64);
  std::vector<std::vector<Shares::Taken>> all;
  all.reserve(40);
  for (int i = 0; i < 40; ++i) {
    all.push_back(as_many_as_possible(shares, std::to_string(i)));
  }
  EXPECT_EQ(shares.total(), 64U);
  EXPECT_FALSE(shares.may_take("another"));
}

TEST(Shares, what_is_given_back_can_be_taken) {
  Shares shares(64);
  auto greedy = as_many_as_possible(shares, "one");
  EXPECT_EQ(greedy.size(), 48U);
  greedy.pop_back();
  EXPECT_TRUE(shares.may_take("one"));
  greedy.clear();
  EXPECT_EQ(shares.of("one"), 0U);
  EXPECT_EQ(shares.total(), 0U);
}

TEST(Shares, amounts_are_shared_as_ones_are) {
  Shares shares(1024);
  EXPECT_TRUE(shares.may_take("one", 768));
  EXPECT_FALSE(shares.may_take("one", 769));
  shares.add("one", 700);
  shares.add("one", 68);
  EXPECT_FALSE(shares.may_take("two", 17));
  EXPECT_TRUE(shares.has_much("two", 17));
  EXPECT_TRUE(shares.may_take("two", 16));
  EXPECT_FALSE(shares.has_much("two", 16));
  shares.add("two", 16);
  shares.remove("one", 768);
  EXPECT_EQ(shares.of("one"), 0U);
  shares.remove("two", 10);
  EXPECT_EQ(shares.of("two"), 6U);
  shares.add("three", 1);
  EXPECT_EQ(shares.of("three"), 1U) << "nothing is left of who was there before";
  EXPECT_EQ(shares.total(), 7U);
}

TEST(Shares, what_is_taken_may_outlive_them) {
  std::vector<Shares::Taken> taken;
  {
    Shares shares(8);
    taken.push_back(shares.take("one"));
    taken.push_back(std::move(taken.front()));
  }
  taken.clear();
}

}  // namespace
}  // namespace pi_mcp::endpoint
