#include "http/date.h"

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

constexpr EpochMs today{1'763'769'600'000};  // 2025-11-22

std::int64_t parsed(std::string_view text) {
  return parse_http_date(text, today).value_or(EpochMs{-1}).value;
}

TEST(HttpDate, all_three_forms_are_read) {
  EXPECT_EQ(parsed("Sun, 06 Nov 1994 08:49:37 GMT"), 784'111'777'000);
  EXPECT_EQ(parsed("Sunday, 06-Nov-94 08:49:37 GMT"), 784'111'777'000);
  EXPECT_EQ(parsed("Sun Nov  6 08:49:37 1994"), 784'111'777'000);
  EXPECT_EQ(parsed("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
}

TEST(HttpDate, anything_else_is_no_date) {
  for (const char* text : {"",
                           "30",
                           "-1",
                           "tomorrow",
                           "Sun, 31 Feb 2025 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 262 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:00:00 GMT",
                           "Sun, 06 Nov 1994 08:49 GMT",
                           "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 6x Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 99999999999 08:49:37 GMT"}) {
    EXPECT_EQ(parsed(text), -1) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::http
