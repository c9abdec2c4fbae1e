#include "access/expiry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

using testing::HasSubstr;

constexpr EpochMs today{1'795'660'200'000};  // 2026-11-26 02:30:00 UTC

std::string read(const std::string& text) {
  const Result<std::optional<EpochMs>> end = parse_expiry(text, today);
  return !end ? end.error().message() : *end ? time_text(**end) : "never";
}

TEST(Expiry, is_a_time_from_now) {
  EXPECT_EQ(time_text(today), "2026-11-26 02:30 UTC");
  EXPECT_EQ(read("12h"), "2026-11-26 14:30 UTC");
  EXPECT_EQ(read("30d"), "2026-12-26 02:30 UTC");
  EXPECT_EQ(read(" 2w "), "2026-12-10 02:30 UTC");
  EXPECT_EQ(read("1y"), "2027-11-26 02:30 UTC");
  EXPECT_EQ(read(std::string(expiry_default)), "2027-02-24 02:30 UTC");
}

TEST(Expiry, is_the_end_of_a_day_or_never) {
  EXPECT_EQ(read("2027-01-31"), "2027-01-31 23:59 UTC");
  EXPECT_EQ(read("2026-11-26"), "2026-11-26 23:59 UTC") << "today";
  EXPECT_EQ(read("2028-02-29"), "2028-02-29 23:59 UTC");
  EXPECT_EQ(read("never"), "never");
}

TEST(Expiry, is_refused_when_it_is_over_or_too_far_away) {
  for (const char* text : {"2026-11-25", "1999-01-01", "0d", "0h"}) {
    EXPECT_THAT(read(text), HasSubstr("is over already")) << text;
  }
  for (const char* text : {"101y", "2200-01-01", "9999-12-31"}) {
    EXPECT_THAT(read(text), HasSubstr("write never")) << text;
  }
}

TEST(Expiry, is_nothing_else) {
  for (const char* text : {"",
                           "d",
                           "30",
                           "-1d",
                           "+1d",
                           "1.5d",
                           "30 d",
                           "30m",
                           "30days",
                           "9223372036854775807d",
                           "99999999999999999999d",
                           "2027-02-29",
                           "2027-13-01",
                           "2027-00-10",
                           "2027-1-1",
                           "27-01-31",
                           "2027/01/31",
                           "2027-01-3x",
                           "2027--1-01",
                           "Never"}) {
    EXPECT_THAT(read(text), HasSubstr("write 12h, 30d, 8w or 1y")) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::access
