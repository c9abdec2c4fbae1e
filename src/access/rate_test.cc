#include "access/rate.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

using testing::HasSubstr;

Rate per_second(std::uint32_t count, std::uint32_t burst) {
  return {.count = count, .period = Milliseconds(1'000), .burst = burst};
}
Rate per_minute(std::uint32_t count, std::uint32_t burst) {
  return {.count = count, .period = Milliseconds(60'000), .burst = burst};
}

Result<Rate> setting(const std::string& rate) {
  return rate_setting(R"({"http":{"rate":)" + rate + "}}");
}

TEST(Rate, is_none_where_nobody_wrote_one) {
  for (const char* none : {"{}", R"({"http":{}})", R"({"http":{"rate":"none"}})"}) {
    const Result<Rate> rate = rate_setting(none);
    ASSERT_TRUE(rate) << none;
    EXPECT_FALSE(rate->is_limit()) << none;
  }
}

TEST(Rate, has_a_period_and_what_may_come_at_once) {
  EXPECT_EQ(setting(R"({"perSecond":20,"burst":40})"), per_second(20, 40));
  EXPECT_EQ(setting(R"({"perSecond":20})"), per_second(20, 20));
  EXPECT_EQ(setting(R"({"perMinute":30})"), per_minute(30, 30));
  EXPECT_EQ(setting(R"({"perMinute":600000})"), per_minute(600'000, 100'000));
}

TEST(Rate, a_word_that_might_have_been_meant_to_restrict_is_an_error) {
  for (const char* wrong : {"20",
                            "\"20\"",
                            "null",
                            "[]",
                            "{}",
                            R"({"perSecond":20,"perMinute":60})",
                            R"({"persecond":20})",
                            R"({"perSecond":0})",
                            R"({"perSecond":-1})",
                            R"({"perSecond":1.5})",
                            R"({"perSecond":"20"})",
                            R"({"perSecond":10001})",
                            R"({"perMinute":600001})",
                            R"({"perSecond":20,"burst":0})",
                            R"({"perSecond":20,"burst":null})",
                            R"({"perSecond":20,"burst":100001})",
                            R"({"burst":20})"}) {
    const Result<Rate> rate = setting(wrong);
    ASSERT_FALSE(rate) << wrong;
    EXPECT_THAT(rate.error().message(), HasSubstr("settings.http.rate")) << wrong;
  }
}

TEST(Rate, is_written_on_a_command_line) {
  EXPECT_EQ(parse_rate("20"), per_second(20, 20));
  EXPECT_EQ(parse_rate("20/s"), per_second(20, 20));
  EXPECT_EQ(parse_rate("600/m"), per_minute(600, 600));
  EXPECT_EQ(parse_rate("600/m,50"), per_minute(600, 50));
  EXPECT_EQ(parse_rate("none"), Rate());
}

TEST(Rate, what_is_written_wrong_is_told_how_it_is_written) {
  for (const char* wrong : {"",
                            "0",
                            "-1",
                            "x",
                            "20/h",
                            "20/",
                            "/s",
                            "20,",
                            "20,0",
                            "20,x",
                            "1e3",
                            " 20",
                            "20 ",
                            "10001",
                            "99999999999999999999",
                            "20/s/s",
                            "None"}) {
    const Result<Rate> rate = parse_rate(wrong);
    ASSERT_FALSE(rate) << wrong;
    EXPECT_THAT(rate.error().message(), HasSubstr("is no rate: 20 (a second")) << wrong;
  }
}

TEST(Rate, is_written_as_it_is_read) {
  for (const Rate& rate : {per_second(20, 40), per_minute(7, 7), Rate()}) {
    json::Writer out;
    write_rate(out, rate);
    EXPECT_EQ(setting(out.take()), rate);
  }
  EXPECT_EQ(rate_text(per_second(20, 20)), "20 a second");
  EXPECT_EQ(rate_text(per_minute(600, 40)), "600 a minute and 40 at once");
  EXPECT_EQ(rate_text(Rate()), "no limit");
}

TEST(Rate, no_limit_gives_most) {
  EXPECT_TRUE(Rate().gives_more_than(per_second(9'999, 1)));
  EXPECT_FALSE(Rate().gives_more_than(Rate()));
  EXPECT_FALSE(per_second(1, 1).gives_more_than(Rate()));
  EXPECT_TRUE(per_second(1, 1).gives_more_than(per_minute(59, 100)));
  EXPECT_TRUE(per_second(1, 2).gives_more_than(per_minute(60, 1)));
  EXPECT_FALSE(per_second(1, 1).gives_more_than(per_minute(60, 1)));
}

}  // namespace
}  // namespace pi_mcp::access
