#include "config/difference.h"

#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

Difference between(const std::string& before, const std::string& after) {
  Server old_server;
  old_server.entry_json = before;
  Server new_server;
  new_server.entry_json = after;
  const Difference forth = difference(old_server, new_server);
  EXPECT_EQ(forth, difference(new_server, old_server));
  return forth;
}

TEST(ConfigDifference, an_entry_that_says_the_same_has_none) {
  EXPECT_EQ(between(R"({"command":"a"})", R"({"command":"a"})"), Difference::none);
}

TEST(ConfigDifference, what_is_started_and_with_which_limits_is_a_matter_of_the_launch) {
  EXPECT_EQ(between(R"({"command":"a"})", R"({"command":"b"})"), Difference::launch);
  EXPECT_EQ(between(R"({"command":"a"})", R"({"command":"a","env":{"A":"1"}})"),
            Difference::launch);
  EXPECT_EQ(between(R"({"command":"a"})", R"({"command":"a","debug":true})"), Difference::launch);
  EXPECT_EQ(between(R"({"command":"a"})", R"({"command":"a","unknownKey":1})"), Difference::launch);
  EXPECT_EQ(between(R"({"command":"a"})", "no JSON"), Difference::launch);
}

TEST(ConfigDifference, how_tools_are_shown_and_how_long_it_is_kept_is_a_matter_of_use) {
  EXPECT_EQ(between(R"({"command":"a","excludeTools":["x"]})",
                    R"({"command":"a","lifecycle":"keep-alive","idleTimeout":5})"),
            Difference::use);
  EXPECT_EQ(between(R"({"command":"a","args":[]})", R"({"args":[],"command":"a"})"),
            Difference::use);
}

TEST(ConfigDifference, what_who_is_served_may_use_is_a_matter_of_use) {
  Server all;
  Server some = all;
  some.only_tools = {"get_*"};
  EXPECT_EQ(difference(all, some), Difference::use);
  EXPECT_EQ(difference(some, some), Difference::none);
  all.entry_json = R"({"command":"a"})";
  EXPECT_EQ(difference(all, some), Difference::launch);
}

TEST(ConfigDifference, a_server_that_is_switched_off_is_not_kept) {
  Server on;
  Server off;
  off.disabled = true;
  EXPECT_EQ(difference(on, off), Difference::launch);
  Server wrong;
  wrong.problem = "has no transport";
  EXPECT_EQ(difference(on, wrong), Difference::launch);
}

TEST(ConfigDifference, settings_are_compared_the_same_way) {
  Settings before;
  Settings after;
  EXPECT_EQ(difference(before, after), Difference::none);
  after.settings_json = R"({"toolPrefix":"none"})";
  EXPECT_EQ(difference(before, after), Difference::use);
  after.settings_json = R"({"requestTimeoutMs":5})";
  EXPECT_EQ(difference(before, after), Difference::launch);
}

}  // namespace
}  // namespace pi_mcp::config
