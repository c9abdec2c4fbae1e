#include "mcp/client/link_text.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

TEST(LinkText, says_how_and_when_a_link_ended) {
  EXPECT_EQ(
      ended_text({.reason = "exited with status 1", .last_words = "no token"}, "during initialize"),
      "exited with status 1 during initialize; stderr: no token");
  EXPECT_EQ(ended_text({}, "during tools/list"), "the link ended during tools/list");
}

TEST(LinkText, durations_are_written_in_the_unit_a_person_would_use) {
  using std::chrono::milliseconds;
  EXPECT_EQ(duration_text(milliseconds(100)), "100 ms");
  EXPECT_EQ(duration_text(milliseconds(1500)), "1500 ms");
  EXPECT_EQ(duration_text(milliseconds(59'999)), "60 s");
  EXPECT_EQ(duration_text(milliseconds(60'000)), "60 s");
  EXPECT_EQ(duration_text(milliseconds(90'000)), "90 s");
  EXPECT_EQ(duration_text(milliseconds(300'000)), "5 min");
  EXPECT_EQ(duration_text(milliseconds(3'600'000)), "1 h");
  EXPECT_EQ(duration_text(milliseconds(0)), "0 s");
}

TEST(LinkText, a_limit_that_passed_names_the_phase_and_the_setting) {
  const auto text = [](std::string_view method, bool total, std::string preparation) {
    const OverdueText overdue = overdue_text({.method = method,
                                              .limit = std::chrono::seconds(60),
                                              .total = total,
                                              .preparation = std::move(preparation)});
    return overdue.reason + "; " + overdue.advice;
  };
  EXPECT_EQ(text("initialize", true, ""),
            "no answer to initialize within 60 s; a larger startupTimeoutMs gives it more time");
  EXPECT_EQ(text("tools/list", true, ""),
            "no answer to tools/list within 60 s; a larger requestTimeoutMs gives it more time");
  EXPECT_EQ(text("tools/call", false, ""),
            "no answer to tools/call within 60 s; a larger requestTimeoutMs gives it more time");
  EXPECT_EQ(text("tools/call", true, ""),
            "tools/call was still running after 60 s; a larger requestTotalTimeoutMs gives it more "
            "time");
  EXPECT_EQ(text("initialize", true, "installing x with npx"),
            "installing x with npx took longer than 60 s; a larger installTimeoutMs gives it more "
            "time");
  EXPECT_EQ(text("initialize", false, "installing x with npx"),
            "installing x with npx: nothing has happened for 60 s; check the network; a larger "
            "startupTimeoutMs gives it more time");
}

}  // namespace
}  // namespace pi_mcp::mcp
