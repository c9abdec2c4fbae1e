// Names that no tool has: what a session says of them, and what it takes them for.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

using CompatCall = test::SessionFixture;

test::FakeServer listing(const std::vector<std::string>& names) {
  test::FakeServer server;
  json::Writer tools;
  tools.begin_array();
  for (const std::string& name : names) {
    tools.begin_object().member("name", name).member_raw("inputSchema", R"({"type":"object"})");
    tools.end_object();
  }
  tools.end_array();
  server.tools = std::move(tools).take();
  return server;
}

TEST_F(CompatCall, a_tool_of_another_server_than_the_named_one_is_said_to_be_there) {
  add("echo", test::echo_server());
  add("other", test::echo_server());
  (void)mcp(R"({"connect":"echo"})");
  (void)mcp(R"({"connect":"other"})");
  const test::Said wrong = mcp(R"({"tool":"echo_add","server":"other"})");
  EXPECT_EQ(wrong.text,
            "\"echo_add\" is a tool of server \"echo\", not of \"other\": "
            "mcp({ tool: \"echo_add\", server: \"echo\" })");
  EXPECT_EQ(detail(wrong, "hintServer"), "\"echo\"");
}

TEST_F(CompatCall, a_tool_where_a_server_is_wanted_is_said_to_be_one) {
  add("echo", test::echo_server());
  (void)mcp(R"({"connect":"echo"})");
  for (const std::string key : {"server", "connect", "instructions"}) {
    const test::Said wrong = mcp("{\"" + key + R"(":"echo_add"})");
    EXPECT_EQ(wrong.text,
              "\"echo_add\" is a tool of server \"echo\", not a server. The tool: "
              "mcp({ describe: \"echo_add\" }); its server: mcp({ " +
                  key + ": \"echo\" })");
    EXPECT_EQ(detail(wrong, "hintServer"), "\"echo\"");
  }
}

TEST_F(CompatCall, row_30_an_unknown_tool_lists_those_of_the_server_its_prefix_names) {
  add("echo", test::echo_server());
  const test::Said missing = mcp(R"({"tool":"echo_nope"})");
  EXPECT_THAT(missing.text, StartsWith("Tool \"echo_nope\" not found. Server \"echo\" has: "));
  EXPECT_THAT(missing.text, HasSubstr("echo_echo"));
  EXPECT_THAT(missing.text, HasSubstr("echo_add"));
  EXPECT_EQ(detail(missing, "error"), "\"tool_not_found\"");
  EXPECT_EQ(detail(missing, "hintServer"), "\"echo\"");
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatCall, the_list_of_an_unknown_tool_is_capped_and_near_names_come_first) {
  std::vector<std::string> names = {"resize"};
  for (int i = 0; i < 60; ++i) {
    names.push_back("tool" + std::to_string(i));
  }
  add("big", listing(names));
  const std::string missing = text(R"({"tool":"big_resise"})");
  EXPECT_THAT(missing, HasSubstr("Server \"big\" has: big_"));
  EXPECT_THAT(missing, EndsWith(" and 56 more. Did you mean: big_resize"));
}

TEST_F(CompatCall, a_tool_that_nobody_has_is_not_found_once_all_servers_are_known) {
  add("echo", test::echo_server());
  const test::Said missing = mcp(R"({"tool":"zzz"})");
  EXPECT_EQ(missing.text, "Tool \"zzz\" not found. Use mcp({ search: \"...\" }) to search.");
  EXPECT_EQ(text(R"({"tool":"zzzz"})"),
            "Tool \"zzzz\" not found. Use mcp({ search: \"...\" }) to search.");
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatCall, a_server_named_in_place_of_a_tool_is_said_to_be_one) {
  add("echo-2", test::echo_server());
  remember();
  for (const char* const mode : {"tool", "describe"}) {
    const test::Said said = mcp(R"({")" + std::string(mode) + R"(":"echo-2"})");
    EXPECT_EQ(said.text,
              "\"echo-2\" is a server, not a tool. Its tools: mcp({ server: \"echo-2\" })");
    EXPECT_EQ(said.failure, tool::Failure::not_found);
  }
}

TEST_F(CompatCall, a_tool_is_found_behind_its_server_with_a_dot_or_a_slash) {
  add("echo", test::echo_server());
  EXPECT_EQ(text(R"({"tool":"echo.echo","args":{"text":"a"}})"), "a");
  EXPECT_EQ(text(R"({"tool":"echo/echo","args":{"text":"b"}})"), "b");
}

TEST_F(CompatCall, names_of_the_server_that_is_meant_are_suggested_before_others) {
  add("chat", listing({"post_message"}));
  add("mail", listing({"send_message"}));
  remember();
  EXPECT_EQ(detail(mcp(R"({"describe":"chat_send_message"})"), "suggestions"),
            R"(["chat_post_message"])");
}

TEST_F(CompatCall, row_82_near_names_are_suggested) {
  add("echo", test::echo_server());
  remember();
  const test::Said missing = mcp(R"({"tool":"ecko_echo"})");
  EXPECT_THAT(missing.text, EndsWith(" to search. Did you mean: echo_echo"));
  EXPECT_EQ(detail(missing, "suggestions"), R"(["echo_echo"])");
  EXPECT_THAT(text(R"({"tool":"echo_ecko"})"), EndsWith(". Did you mean: echo_echo"));
  EXPECT_THAT(text(R"({"tool":"echo","server":"ecko"})"), EndsWith(" Did you mean: echo"));
}

}  // namespace
}  // namespace pi_mcp::gateway
