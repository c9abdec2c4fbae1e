// Our own resources in a whole session: what they say, and who is told of a change.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

test::FakeServer broken_server() {
  test::FakeServer server;
  server.refuses = "no such program";
  return server;
}

class OwnResources : public test::HostFixture {
 protected:
  void begin_for_pi() {
    options.host = render::HostKind::pi;
    begin_initialized();
  }
  std::string request(const std::string& method, const std::string& uri) {
    return ask(R"({"jsonrpc":"2.0","id":9,"method":"resources/)" + method +
               R"(","params":{"uri":")" + uri + "\"}}");
  }
  // The JSON text of a resource.
  std::string read(const std::string& uri) {
    const Result<json::Document> answer = json::Document::parse(request("read", uri));
    return answer->root().at({"result", "contents"}).element(0).find("text").string_or("(none)");
  }
  long updates() {
    return std::ranges::count_if(host.sent, [](const std::string& line) {
      return line.find("notifications/resources/updated") != std::string::npos;
    });
  }
};

TEST_F(OwnResources, are_offered_to_pi_and_to_no_other_host) {
  begin_for_pi();
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})"),
              HasSubstr("pi-mcp://status"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/templates/list"})"),
              HasSubstr(R"("resourceTemplates":[])"));
  EXPECT_THAT(host.sent.front(), HasSubstr(R"("resources":{"subscribe":true,"listChanged":true})"));
  hang_up();
}

TEST_F(OwnResources, definitions_are_the_tools_of_every_server_with_their_schemas) {
  add("echo", test::echo_server()).configure = [](config::Server& entry) {
    entry.description = "Says it again";
  };
  begin_for_pi();
  call(R"({"connect":"echo"})");
  const std::string text = read("pi-mcp://definitions");
  EXPECT_THAT(text, HasSubstr(R"({"name":"echo_add",)"));
  EXPECT_THAT(text, HasSubstr(R"("inputSchema":{)"));
  EXPECT_THAT(text, HasSubstr(R"("echo_echo":{"server":"echo","tool":"echo"})"));
  EXPECT_THAT(text, HasSubstr(R"("about":{"echo":"Says it again"})"));
  hang_up();
}

TEST_F(OwnResources, pi_learns_how_its_user_wants_calls_drawn) {
  settings.settings_json =
      R"({"toolResultRendering":"boxed","collapsedResultLines":2,"codemode":true})";
  begin_for_pi();
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"),
              HasSubstr(R"("_meta":{"pi-mcp/host":{"look":{"style":"boxed","lines":2},)"
                        R"("codemode":true,"origins":{},"about":{}}})"));
  hang_up();
}

TEST_F(OwnResources, status_has_every_server_with_its_state_and_last_error) {
  add("echo", test::echo_server());
  add("broken", broken_server());
  begin_for_pi();
  call(R"({"connect":"echo"})");
  call(R"({"connect":"broken"})");
  const std::string status = read("pi-mcp://status");
  EXPECT_THAT(status, HasSubstr(R"({"name":"echo","status":"connected","toolCount":2)"));
  EXPECT_THAT(status, HasSubstr(R"("name":"broken","status":"failed")"));
  EXPECT_THAT(status, HasSubstr("no such program"));
  hang_up();
}

TEST_F(OwnResources, status_says_what_is_the_projects_and_what_the_host_forbids) {
  for (const char* name : {"asked", "refused"}) {
    add(name, test::echo_server()).configure = [](config::Server& entry) {
      entry.standing = config::Standing::needs_trust;
    };
    config::TrustRequest request;
    request.server = name;
    request.forbidden = request.server == "refused";
    settings.trust_requests.push_back(std::move(request));
  }
  begin_for_pi();
  const std::string status = read("pi-mcp://status");
  EXPECT_THAT(status, HasSubstr(R"("name":"asked","status":"needs trust")"));
  EXPECT_THAT(status, HasSubstr(R"("project":true,"forbidden":false)"));
  EXPECT_THAT(status, HasSubstr(R"("project":true,"forbidden":true)"));
  hang_up();
}

TEST_F(OwnResources, tools_say_which_of_them_are_direct) {
  test::FakeServer server = test::echo_server();
  server.configure = [](config::Server& entry) {
    entry.direct_tools = config::Selection{.all = false, .names = {"add"}, .by_search = false};
  };
  add("echo", std::move(server));
  begin_for_pi();
  call(R"({"connect":"echo"})");
  const std::string tools = read("pi-mcp://tools");
  EXPECT_THAT(tools,
              HasSubstr(R"("original":"echo","description":"Echoes text back",)"
                        R"("direct":false,"tokens":)"));
  EXPECT_THAT(tools,
              HasSubstr(R"("original":"add","description":"Adds two numbers",)"
                        R"("direct":true,"tokens":)"));
  hang_up();
}

TEST_F(OwnResources, tools_say_why_they_cannot_be_direct) {
  test::FakeServer server = test::echo_server();
  server.tools = R"([{"name":"caf\u00e9"},{"name":")" + std::string(65, 'x') +
                 R"("},{"name":"fine"},{"name":"mcp"}])";
  server.configure = [](config::Server& entry) {
    entry.direct_tools = config::Selection{.all = true, .names = {}, .by_search = false};
  };
  settings.tool_prefix = config::ToolPrefix::none;
  add("odd", std::move(server));
  begin_for_pi();
  call(R"({"connect":"odd"})");
  const std::string text = read("pi-mcp://tools");
  const Result<json::Document> document = json::Document::parse_view(text);
  const json::Value tools = document->root().find("servers").element(0).find("tools");
  std::vector<std::string> said;
  for (const json::Value tool : tools.elements()) {
    said.push_back(tool.find("original").string_or("?") + ": " +
                   tool.find("cannotBeDirect").string_or(""));
    EXPECT_EQ(tool.find("direct").as_bool(), tool.find("original").equals("fine"));
  }
  const std::string letters = "models accept only a-z, A-Z, 0-9, _ and - in the name of a tool";
  EXPECT_THAT(
      said,
      testing::ElementsAre("caf\u00e9: " + letters,
                           std::string(65, 'x') + ": models accept names of at most 64 characters",
                           "fine: ",
                           "mcp: pi-mcp has a tool of this name"));
  hang_up();
}

TEST_F(OwnResources, tools_say_that_a_search_makes_those_of_a_server_direct) {
  for (const bool by_search : {true, false}) {
    test::FakeServer server = test::echo_server();
    server.configure = [by_search](config::Server& entry) {
      entry.direct_tools = config::Selection{.all = false, .names = {}, .by_search = by_search};
    };
    add(by_search ? "found" : "listed", std::move(server));
  }
  begin_for_pi();
  const std::string tools = read("pi-mcp://tools");
  EXPECT_THAT(tools, HasSubstr(R"({"name":"found","bySearch":true,"tools":)"));
  EXPECT_THAT(tools, HasSubstr(R"({"name":"listed","bySearch":false,"tools":)"));
  hang_up();
}

TEST_F(OwnResources, a_subscriber_is_told_of_a_change_once_and_of_nothing_else) {
  add("echo", test::echo_server());
  begin_for_pi();
  EXPECT_THAT(request("subscribe", "pi-mcp://status"), HasSubstr(R"("result":{})"));
  call(R"({"connect":"echo"})");
  run_until([this] { return updates() == 1; });
  EXPECT_THAT(host.sent.back(), HasSubstr(R"("params":{"uri":"pi-mcp://status"})"));
  call(R"({"tool":"echo_echo","args":{"text":"nothing of this is a change"}})");
  call(R"({"connect":"echo"})");
  EXPECT_THAT(request("unsubscribe", "pi-mcp://status"), HasSubstr(R"("result":{})"));
  call(R"({"action":"reconnect"})");
  request("subscribe", "pi-mcp://tools");
  servers["echo"].tools = R"([{"name":"other"}])";
  call(R"({"connect":"echo"})");
  run_until([this] { return updates() == 2; });
  EXPECT_THAT(host.sent.back(), HasSubstr(R"("params":{"uri":"pi-mcp://tools"})"));
  hang_up();
}

TEST_F(OwnResources, an_unknown_one_is_an_error_that_names_it) {
  begin_for_pi();
  for (const char* method : {"read", "subscribe", "unsubscribe"}) {
    EXPECT_THAT(request(method, "pi-mcp://else"), HasSubstr(R"("code":-32002)")) << method;
  }
  EXPECT_THAT(request("other", "pi-mcp://status"), HasSubstr("-32601"));
  hang_up();
}

class Notices : public OwnResources {
 protected:
  // What was said to the host, in its order.
  std::string notices() {
    std::string all;
    for (const std::string& line : host.sent) {
      if (line.find(R"("logger":"pi-mcp")") != std::string::npos) {
        all += line + "\n";
      }
    }
    return all;
  }
};

TEST_F(Notices, row_94_sum_up_what_was_started_and_name_what_failed) {
  add("echo", test::echo_server());
  add("broken", broken_server());
  begin_for_pi();
  wait(session().warm_up());
  run_until([this] { return notices().find("connected (") != std::string::npos; });
  EXPECT_THAT(notices(), HasSubstr("\"data\":\"MCP: 1/2 servers connected (2 tools)\""));
  EXPECT_THAT(notices(), HasSubstr("MCP: Failed to connect to broken: "));
  EXPECT_THAT(notices(), HasSubstr("\"level\":\"error\""));
  hang_up();
}

TEST_F(Notices, of_before_the_handshake_follow_it) {
  add("broken", broken_server());
  begin();
  wait(session().warm_up());
  run_until([this] { return session().status().front().failed_seconds_ago.has_value(); });
  EXPECT_THAT(notices(), Not(HasSubstr("broken")));
  initialize("2025-06-18");
  run_until([this] { return host.sent.size() == 2; });
  EXPECT_THAT(notices(), HasSubstr("MCP: Failed to connect to broken: "));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::tool
