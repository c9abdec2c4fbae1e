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

}  // namespace
}  // namespace pi_mcp::servers
