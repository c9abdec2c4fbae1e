#include "schema/decimal.h"

#include <gtest/gtest.h>

namespace pi_mcp::schema {
namespace {

TEST(Decimal, is_equal_in_every_spelling) {
  for (const char* text : {"100", "100.0", "1e2", "1E+2", "0.1e3", "1000e-1", "100.000e0"}) {
    EXPECT_EQ(Decimal(text), Decimal("100")) << text;
    EXPECT_EQ(Decimal(text).normal_form(), Decimal("100").normal_form()) << text;
  }
  for (const char* text : {"0", "-0", "0.00", "-0e5", "0E999999999999999999999"}) {
    EXPECT_EQ(Decimal(text), Decimal("0")) << text;
  }
}

TEST(Decimal, orders_exactly_beyond_doubles) {
  const char* ascending[] = {"-1e400",
                             "-9007199254740993",
                             "-9007199254740992",
                             "-1.5",
                             "-1",
                             "-1e-400",
                             "0",
                             "1e-400",
                             "0.1",
                             "0.10000000000000000001",
                             "9",
                             "10",
                             "9007199254740992",
                             "9007199254740993",
                             "1e399",
                             "1e400"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      EXPECT_EQ(Decimal(ascending[i]) <=> Decimal(ascending[j]), i <=> j)
          << ascending[i] << " and " << ascending[j];
    }
  }
}

TEST(Decimal, knows_integers_by_value) {
  for (const char* text : {"0", "-7", "7.0", "1e400", "1.5e1", "123456789012345678901234567890"}) {
    EXPECT_TRUE(Decimal(text).is_integer()) << text;
  }
  for (const char* text : {"0.5", "1.5e0", "1e-1", "1e-400", "9007199254740993.5"}) {
    EXPECT_FALSE(Decimal(text).is_integer()) << text;
  }
}

TEST(Decimal, divides_exactly) {
  EXPECT_EQ(Decimal("0.0075").is_multiple_of(Decimal("0.0001")), true);
  EXPECT_EQ(Decimal("0.00751").is_multiple_of(Decimal("0.0001")), false);
  EXPECT_EQ(Decimal("0.3").is_multiple_of(Decimal("0.1")), true);
  EXPECT_EQ(Decimal("1e308").is_multiple_of(Decimal("0.123456789")), false);
  EXPECT_EQ(Decimal("12391239123").is_multiple_of(Decimal("1e-8")), true);
  EXPECT_EQ(Decimal("-21").is_multiple_of(Decimal("7")), true);
  EXPECT_EQ(Decimal("0").is_multiple_of(Decimal("3")), true);
  EXPECT_EQ(Decimal("1e99999999999999999999").is_multiple_of(Decimal("3")), false);
}

TEST(Decimal, does_not_guess_about_odd_divisors) {
  EXPECT_EQ(Decimal("1").is_multiple_of(Decimal("0")), std::nullopt);
  EXPECT_EQ(Decimal("1").is_multiple_of(Decimal("1234567890123456789")), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::schema
