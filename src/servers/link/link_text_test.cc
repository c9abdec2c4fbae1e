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
            "Error: GITHUB_TOKEN is required | /srv/index.js:3 | "
            "throw new Error('GITHUB_TOKEN is required');");
  EXPECT_EQ(stderr_summary("    at a (b:1)\n    at c (d:2)\n"), "at a (b:1) | at c (d:2)");
}

TEST(StderrSummary, begins_with_the_line_that_says_what_went_wrong) {
  struct Case {
    const char* written;
    const char* first;
  };
  for (const Case& each : {
           Case{"npm error code E404\n"
                "npm error 404 Not Found - GET https://registry.example/nope - Not found\n"
                "npm error 404\nnpm error 404  'nope@*' is not in this registry.\n"
                "npm error A complete log of this run can be found in: x.log\n",
                "npm error 404 Not Found - GET https://registry.example/nope - Not found | "},
           Case{"npm error code ETARGET\nnpm error notarget No version\nnpm error a\nnpm error b\n",
                "npm error code ETARGET | "},
           Case{"2026/01/01 start\npanic: no token\n\ngoroutine 1 [running]:\nmain.main()\n"
                "\t/app/main.go:5 +0x1d\nexit status 2\n",
                "panic: no token | "},
           Case{"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [select]:\n"
                "main.main()\n\t/app/main.go:5 +0x1d\nexit status 2\n",
                "fatal error: all goroutines are asleep - deadlock! | "},
           Case{"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"
                "    import nope\nModuleNotFoundError: No module named 'nope'\nbye\nbye\nbye\n",
                "ModuleNotFoundError: No module named 'nope' | "},
           Case{"node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\n"
                "Error: Cannot find module '/x.js'\n    at Module (a:1)\n {\n"
                "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.1.0\n",
                "Error: Cannot find module '/x.js' | "},
           Case{"Exception in thread \"main\" java.lang.NoClassDefFoundError: a/B\n"
                "\tat a.B.main(B.java:1)\nCaused by: java.lang.ClassNotFoundException: a.B\n",
                "Exception in thread \"main\" java.lang.NoClassDefFoundError: a/B | "},
       }) {
    EXPECT_TRUE(stderr_summary(each.written).starts_with(each.first))
        << stderr_summary(each.written);
  }
}

TEST(StderrSummary, cuts_long_lines) {
  EXPECT_EQ(stderr_summary(std::string(1000, 'x')).size(), 303U);
}

TEST(LinkText, what_a_jvm_says_on_its_stdout_is_shown_where_stderr_says_nothing) {
  transport::LinkEnd end;
  end.stdout_tail = "Starting up\nException in thread \"main\" a.NoToken: set TOKEN\n\tat a.B\n";
  EXPECT_EQ(start_failure_text("exited with status 1", end, {.junk_lines = 3}),
            "exited with status 1; stdout: Exception in thread \"main\" a.NoToken: set TOKEN; "
            "3 lines on its stdout were no MCP messages: is it an MCP server on stdio?");
  end.stdout_tail =
      "Error occurred during initialization of VM\n"
      "Initial heap size set to a larger value than the maximum heap size\n";
  EXPECT_EQ(start_failure_text("exited with status 1", end, {}),
            "exited with status 1; stdout: Error occurred during initialization of VM | "
            "Initial heap size set to a larger value than the maximum heap size");
  end.stdout_tail = "Welcome\n";
  EXPECT_EQ(start_failure_text("x", end, {}),
            "x; it wrote nothing to stderr, run its command in a shell to see why");
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
  const std::string broken = "s sent a broken answer: y; only its author can mend that";
  EXPECT_EQ(start_failure_text(broken, {}, {}), broken);
}

}  // namespace
}  // namespace pi_mcp::servers
