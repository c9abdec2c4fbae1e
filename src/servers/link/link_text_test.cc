#include "servers/link/link_text.h"

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

TEST(StderrSummary, is_the_last_three_lines_that_say_something) {
  EXPECT_EQ(stderr_summary("one\ntwo\n\nthree\nfour\n\n"), "two | three | four");
  EXPECT_EQ(stderr_summary(""), "");
  EXPECT_EQ(stderr_summary(" \n\t\n"), "");
  EXPECT_EQ(stderr_summary("\x1b[31mred\x1b[0m\x07"), "red");
}

TEST(StderrSummary, passes_over_stack_frames_of_node_and_python) {
  EXPECT_EQ(stderr_summary("/srv/index.js:3\n"
                           "  throw new Error('GITHUB_TOKEN is required');\n"
                           "        ^\n\n"
                           "Error: GITHUB_TOKEN is required\n"
                           "    at Object.<anonymous> (/srv/index.js:3:9)\n"
                           "    at node:internal/main:28:49\n\n"
                           "Node.js v20.19.0\n"),
            "/srv/index.js:3 | throw new Error('GITHUB_TOKEN is required'); | "
            "Error: GITHUB_TOKEN is required");
  EXPECT_EQ(stderr_summary("    at a (b:1)\n    at c (d:2)\n"), "at a (b:1) | at c (d:2)");
}

TEST(StderrSummary, cuts_long_lines) {
  EXPECT_EQ(stderr_summary(std::string(1000, 'x')).size(), 303U);
}

TEST(LinkText, says_how_and_when_a_link_ended) {
  EXPECT_EQ(ended_text({.reason = "exited with status 1", .stderr_tail = "no token\n"},
                       "during initialize"),
            "exited with status 1 during initialize; stderr: no token");
  EXPECT_EQ(ended_text({}, "during tools/list"), "the link ended during tools/list");
}

TEST(LinkText, a_failed_start_says_everything_that_is_known) {
  EXPECT_EQ(start_failure_text("no answer to initialize within 60 s", {}, {.junk_lines = 2}),
            "no answer to initialize within 60 s; it wrote nothing to stderr, run its command in a "
            "shell to see why; 2 lines on its stdout were no MCP messages: is it an MCP server on "
            "stdio?");
  EXPECT_EQ(start_failure_text("x", {.reason = "", .stderr_tail = "waiting for db"}, {}),
            "x; stderr: waiting for db");
  EXPECT_EQ(start_failure_text("x", {.reason = "", .stderr_tail = "y"}, {}, "do z"),
            "x; stderr: y; do z");
  EXPECT_EQ(start_failure_text("x; stderr: y", {.reason = "", .stderr_tail = "y"}, {}),
            "x; stderr: y");
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
}  // namespace pi_mcp::servers
