// Servers that list other tools than we know of: redeployed ones, and those whose list is on its
// way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* refusals[] = {
    R"("result":{"content":[{"type":"text","text":"Unknown tool: lst"}],"isError":true})",
    R"("error":{"code":-32602,"message":"Tool lst not found"})",
    R"("error":{"code":-32602,"message":"unknown tool \"lst\""})"};
constexpr const char* list_changed =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

class NewLists : public test::SessionFixture {
 protected:
  // Its tool is `lst`, until it is deployed anew without a word.
  void add_deployed(const std::string& caching = "") {
    test::FakeServer server;
    server.tools = R"([{"name":"lst"}])";
    server.caching = caching;
    server.on_call = [this](test::ScriptedLink&, const rpc::Message& request) -> std::string {
      const std::string name = request.params().find("name").string_or("");
      return servers["s"].tools.find("\"" + name + "\"") == std::string::npos
                 ? refusal
                 : R"("result":{"content":[{"type":"text","text":"done"}]})";
    };
    add("s", std::move(server));
    EXPECT_FALSE(mcp(R"({"connect":"s"})").is_error);
  }
  void deploy(const std::string& tool) { servers["s"].tools = R"([{"name":")" + tool + "\"}]"; }
  std::size_t reads() { return links["s"]->count_sent("tools/list"); }

  std::string refusal = refusals[0];
};

TEST_F(NewLists, a_tool_that_the_server_does_not_know_any_more_is_answered_with_those_it_has) {
  for (const char* const caching : {"", R"("ttlMs":3600000,"cacheScope":"public",)"}) {
    for (const char* const said : refusals) {
      servers.clear();
      names.clear();
      refusal = said;
      add_deployed(caching);
      deploy("list");
      const test::Said gone = mcp(R"({"tool":"s_lst"})");
      EXPECT_EQ(gone.text,
                "Tool \"s_lst\" not found. Server \"s\" has: s_list. Did you mean: s_list");
      EXPECT_EQ(detail(gone, "error"), "\"tool_not_found\"");
      EXPECT_EQ(links["s"]->count_sent("tools/call"), 1U) << "nothing else is called for it";
      EXPECT_THAT(text(R"({"search":"list"})"), HasSubstr("s_list"));
      EXPECT_EQ(text(R"({"tool":"s_list"})"), "done");
      stop();
      std::filesystem::remove_all(dir);
    }
  }
}

TEST_F(NewLists, a_tool_that_is_still_listed_is_answered_by_its_server) {
  add_deployed();
  servers["s"].on_call = [](test::ScriptedLink&, const rpc::Message&) -> std::string {
    return refusals[0];
  };
  EXPECT_EQ(text(R"({"tool":"s_lst"})"), "Unknown tool: lst");
  EXPECT_EQ(reads(), 2U);
  EXPECT_EQ(text(R"({"tool":"s_lst"})"), "Unknown tool: lst");
  EXPECT_EQ(reads(), 2U) << "once a minute";
}

TEST_F(NewLists, a_name_that_a_connected_server_has_since_its_new_deployment_is_called) {
  for (const char* const request :
       {R"({"tool":"s_fresh"})", R"({"tool":"fresh","server":"s"})", R"({"tool":"fresh"})"}) {
    servers.clear();
    names.clear();
    add_deployed();
    deploy("fresh");
    EXPECT_EQ(text(request), "done") << request;
    EXPECT_EQ(reads(), 2U);
    stop();
    std::filesystem::remove_all(dir);
  }
}

TEST_F(NewLists, so_is_it_described) {
  add_deployed();
  deploy("fresh");
  EXPECT_THAT(text(R"({"describe":"fresh"})"), StartsWith("s_fresh\nServer: s"));
}

TEST_F(NewLists, names_that_nobody_has_read_the_list_once_a_minute) {
  add_deployed();
  for (const char* const request :
       {R"({"tool":"s_a"})", R"({"tool":"b","server":"s"})", R"({"tool":"c"})"}) {
    EXPECT_THAT(text(request), HasSubstr("not found")) << request;
    EXPECT_EQ(reads(), 2U) << request;
  }
}

TEST_F(NewLists, a_name_asked_for_after_list_changed_waits_for_the_list) {
  add_deployed();
  EXPECT_THAT(text(R"({"tool":"s_none"})"), HasSubstr("not found")) << "this minute's look";
  for (const auto& [tool, request] : {std::pair("a", R"({"tool":"s_a"})"),
                                      std::pair("b", R"({"tool":"b","server":"s"})"),
                                      std::pair("c", R"({"tool":"c"})")}) {
    deploy(tool);
    links["s"]->deliver(list_changed);
    context.poll();  // it is read: our look at the list is 50 ms away
    EXPECT_EQ(text(request), "done") << request;
  }
}

TEST_F(NewLists, a_server_that_does_not_answer_for_its_list_is_waited_for_in_bounds) {
  test::FakeServer& other = add("other", test::echo_server());
  options.first_wait = Milliseconds(20);
  EXPECT_FALSE(mcp(R"({"connect":"other"})").is_error);
  other.hangs = true;
  EXPECT_THAT(text(R"({"tool":"other_none"})"), HasSubstr("Server \"other\" has: other_echo"));
  EXPECT_THAT(text(R"({"tool":"none"})"), HasSubstr("not found"));
}

}  // namespace
}  // namespace pi_mcp::gateway
