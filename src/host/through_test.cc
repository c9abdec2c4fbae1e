// A host that sees one server as it is: what it sends and gets, with a real session in between.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_server.h"
#include "support/host_fixture.h"

namespace pi_mcp::host {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class Through : public test::HostFixture {
 protected:
  Through() { capabilities = R"({"elicitation":{},"sampling":{},"roots":{}})"; }

  // The one that the host sees; another one is configured beside it.
  void add_server(test::FakeServer server) {
    add("one", std::move(server));
    add("other", test::echo_server());
    options.through = {.server = "one"};
  }
  void begin_with(test::FakeServer server) {
    add_server(std::move(server));
    begin_initialized();
  }
  [[nodiscard]] const std::vector<std::string>& to_server() { return links.at("one")->sent; }
  void wait_for_server(const std::string& text) {
    run_until([&] { return links.contains("one") && links.at("one")->count_sent(text) > 0; });
  }
  void wait_for_host(const std::string& text) {
    run_until([&] { return host.count_sent(text) > 0; });
  }
  // What the server says by itself, and what the host gets of it.
  std::string say(const std::string& line) {
    const std::size_t before = host.sent.size();
    links.at("one")->deliver(line);
    run_until([&] { return host.sent.size() > before; });
    return host.sent[before];
  }
  // A request of 2026-07-28.
  static std::string stateless(const std::string& id,
                               const std::string& method,
                               const std::string& members = "",
                               const std::string& capabilities = R"({"elicitation":{}})") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           members + (members.empty() ? "" : ",") +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":)" +
           capabilities + "}}}";
  }
};

// Answers with this rest of a message, whatever is asked.
test::FakeServer answering(const std::string& rest) {
  test::FakeServer server = test::echo_server();
  server.on_call = [rest](test::ScriptedLink&, const rpc::Message&) {
    return rest;
  };
  return server;
}

test::FakeServer modern(test::FakeServer server) {
  server.caching = R"("resultType":"complete","ttlMs":5000,"cacheScope":"public",)";
  return server;
}

constexpr const char* tools =
    R"([ {"name":"a","x-new":[1.0, 2],"icons":[{"src":"i"}],"_meta":{"k":1},)"
    R"("outputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},)"
    R"({"name":"B.b","inputSchema":{ "type":"object" }} ])";

TEST_F(Through, initialize_says_what_the_server_says_of_itself) {
  test::FakeServer server = test::echo_server();
  server.instructions = "Use it.";
  server.prompts = "[]";
  add_server(std::move(server));
  begin();
  EXPECT_EQ(initialize("2025-03-26"),
            R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":)"
            R"({"tools":{"listChanged":true},"logging":{},"prompts":{}},)"
            R"("serverInfo":{"name":"fake","version":"1"},"instructions":"Use it."}})");
  EXPECT_THAT(to_server().at(0),
              HasSubstr(R"("capabilities":{"elicitation":{},"roots":{},"sampling":{}})"))
      << "the server is told what the host can do";
  EXPECT_FALSE(links.contains("other"));
  hang_up();
}

TEST_F(Through, initialize_fails_with_the_name_and_the_reason_and_may_be_tried_again) {
  test::FakeServer broken = test::echo_server();
  broken.refuses = "no such program";
  add_server(std::move(broken));
  begin();
  EXPECT_THAT(initialize("2025-06-18"),
              testing::StartsWith(R"({"jsonrpc":"2.0","id":0,"error":{"code":-32603,)"
                                  R"("message":"server \"one\": starting: no such program"}})"));
  EXPECT_THAT(list_tools(), HasSubstr("not initialized"));
  servers["one"].refuses.clear();
  EXPECT_THAT(initialize("2025-06-18"), HasSubstr(R"("serverInfo":{"name":"fake")"));
  hang_up();
}

TEST_F(Through, a_server_that_is_disabled_is_not_there) {
  test::FakeServer server = test::echo_server();
  server.configure = [](config::Server& entry) {
    entry.disabled = true;
  };
  add_server(std::move(server));
  begin();
  EXPECT_THAT(initialize("2025-06-18"), HasSubstr("it is disabled; to enable it, run: pi-mcp"));
  EXPECT_TRUE(links.empty());
  hang_up();
}

TEST_F(Through, lists_are_the_bytes_of_the_server) {
  test::FakeServer server = test::echo_server();
  server.tools = tools;
  server.prompts = R"([{"name":"p","icons":[]}])";
  server.resources = R"([{"uri":"a:b","name":"n","z":{}}])";
  server.templates = R"([{"uriTemplate":"a:{x}","name":"t"}])";
  begin_with(std::move(server));
  EXPECT_EQ(list_tools(),
            R"({"jsonrpc":"2.0","id":1,"result":{"tools":)" + std::string(tools) + "}}");
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":2,"method":"prompts/list"})"),
            R"({"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"p","icons":[]}]}})");
  EXPECT_EQ(
      ask(R"({"jsonrpc":"2.0","id":"r","method":"resources/list","params":{}})"),
      R"({"jsonrpc":"2.0","id":"r","result":{"resources":[{"uri":"a:b","name":"n","z":{}}]}})");
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":4,"method":"resources/templates/list"})"),
              HasSubstr(R"("result":{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"t"}]})"));
  hang_up();
}

TEST_F(Through, calls_and_their_results_are_not_touched) {
  const std::string result = R"({ "content":[{"type":"text","text":")" + std::string(200'000, 'x') +
                             R"("}],"structuredContent":{"z":1.0},"later":null,"_meta":{"k":[]}})";
  begin_with(answering(R"("result":)" + result));
  const std::string params =
      R"({"name":"echo","arguments":{ "nothing":"that fits" },"_meta":{"traceparent":"t","v/k":1},"new":2})";
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":9,"method":"tools/call","params":)" + params + "}"),
            R"({"jsonrpc":"2.0","id":9,"result":)" + result + "}");
  EXPECT_THAT(to_server().back(), EndsWith(R"("method":"tools/call","params":)" + params + "}"));
  ask(R"({"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"echo"}})");
  EXPECT_THAT(to_server().back(), EndsWith(R"("params":{"name":"echo"}})"));
  hang_up();
}

TEST_F(Through, errors_of_the_server_keep_code_message_and_data) {
  begin_with(answering(R"("error":{"code":-32042,"message":"open \"it\"","data":{"a":[1.0]}})"));
  for (const char* method : {"tools/call", "prompts/get", "completion/complete", "skills/list"}) {
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":3,"method":")" + std::string(method) +
                  R"(","params":{"name":"echo"}})"),
              R"({"jsonrpc":"2.0","id":3,"error":{"code":-32042,"message":"open \"it\"",)"
              R"("data":{"a":[1.0]}}})");
  }
  hang_up();
}

TEST_F(Through, everything_else_goes_to_the_server_under_its_own_names) {
  begin_with(answering(R"("result":{"any":1})"));
  for (const char* method : {"prompts/get", "completion/complete", "vendor/method"}) {
    const std::string rest =
        R"("method":")" + std::string(method) + R"(","params":{"name":"p","x":{ "y":2 }}})";
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":4,)" + rest),
              R"({"jsonrpc":"2.0","id":4,"result":{"any":1}})");
    EXPECT_THAT(to_server().back(), EndsWith(rest));
  }
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":5,"method":"tasks/list"})"), HasSubstr("-32601"));
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":6,"method":"ping"})"),
            R"({"jsonrpc":"2.0","id":6,"result":{}})");
  hang_up();
}

TEST_F(Through, questions_keep_their_words_and_answers_theirs) {
  const std::string params =
      R"({"message":"Who?","requestedSchema":{"properties":{"a":{"default":1.50}}}})";
  test::FakeServer server = test::echo_server();
  server.on_call = [&](test::ScriptedLink& link, const rpc::Message& request) {
    link.deliver(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":)" + params +
                 "}");
    return request.method() == "tools/call" ? "" : R"("result":{})";
  };
  begin_with(std::move(server));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})"),
              EndsWith(R"("method":"elicitation/create","params":)" + params + "}"));
  host.deliver(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{}}})");
  wait_for_server(R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{}}})");
  hang_up();
}

TEST_F(Through, a_question_before_the_answer_to_initialize_comes_after_it) {
  add_server(test::echo_server());
  servers["one"].prompts = "[]";
  servers["one"].on_call = nullptr;
  begin();
  host.on_sent = nullptr;
  const std::string answer = initialize("2025-06-18");
  EXPECT_THAT(answer, HasSubstr(R"("id":0,"result")"));
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_THAT(say(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})"),
              HasSubstr(R"("method":"roots/list")"));
  hang_up();
}

TEST_F(Through, messages_keep_their_logger_and_the_level_goes_down) {
  begin_with(test::echo_server());
  EXPECT_THAT(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}})"),
      HasSubstr(R"("result":{})"));
  wait_for_server(R"("method":"logging/setLevel","params":{"level":"debug"})");
  EXPECT_EQ(say(R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                R"({"level":"debug","logger":"db","data":{"a":1.0},"x":2}})"),
            R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
            R"({"level":"debug","logger":"db","data":{"a":1.0},"x":2}})");
  session().notify({.level = registry::LogLevel::error, .text = "of pi-mcp"});
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":6,"method":"ping"})"),
            R"({"jsonrpc":"2.0","id":6,"result":{}})")
      << "nothing of ours comes between";
  hang_up();
}

TEST_F(Through, progress_has_the_token_of_the_host) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink& link, const rpc::Message& request) {
    link.deliver(
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
        request.id().json() + R"(,"progress":1,"total":2,"message":"m","x":[]}})");
    return "";
  };
  begin_with(std::move(server));
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",)"
                R"("_meta":{"progressToken":"mine"}}})"),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
            R"({"progressToken":"mine","progress":1,"total":2,"message":"m","x":[]}})");
  EXPECT_THAT(to_server().back(), Not(HasSubstr("mine")));
  hang_up();
}

TEST_F(Through, a_cancelled_call_is_cancelled_with_the_reason_of_the_host) {
  begin_with(answering(""));
  host.deliver(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  wait_for_server("tools/call");
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
               R"("params":{"requestId":1,"reason":"enough"}})");
  wait_for_server(R"("reason":"enough")");
  hang_up();
}

TEST_F(Through, what_changes_is_told_also_where_nothing_was_listed) {
  test::FakeServer server = test::echo_server();
  server.prompts = "[]";
  server.resources = "[]";
  begin_with(std::move(server));
  for (const char* list : {"tools", "prompts", "resources"}) {
    EXPECT_EQ(
        say(R"({"jsonrpc":"2.0","method":"notifications/)" + std::string(list) +
            R"(/list_changed"})"),
        R"({"jsonrpc":"2.0","method":"notifications/)" + std::string(list) + R"(/list_changed"})");
  }
  hang_up();
}

TEST_F(Through, a_server_that_ends_is_started_again_and_its_lists_may_be_other_ones) {
  begin_with(test::echo_server());
  links.at("one")->end_with("crashed");
  run_until([this] {
    return session().status().front().state != servers::ServerStatus::State::connected;
  });
  host.deliver(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  wait_for_host(R"("id":1,"result":{"tools":)");
  EXPECT_EQ(host.count_sent("notifications/tools/list_changed"), 1U);
  EXPECT_EQ(starts["one"], 2);
  hang_up();
}

TEST_F(Through, any_resource_can_be_watched_and_changes_of_it_are_told) {
  test::FakeServer server = answering(R"("result":{})");
  server.resources = "[]";
  begin_with(std::move(server));
  EXPECT_EQ(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x:1"}})"),
      R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(to_server().back(), HasSubstr(R"("method":"resources/subscribe")"));
  EXPECT_EQ(
      say(R"({"jsonrpc":"2.0","method":"notifications/resources/updated",)"
          R"("params":{"uri":"x:1"}})"),
      R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:1"}})");
  EXPECT_EQ(
      ask(R"({"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"x:1"}})"),
      R"({"jsonrpc":"2.0","id":2,"result":{}})");
  wait_for_server("resources/unsubscribe");
  hang_up();
}

TEST_F(Through, an_error_of_subscribe_is_the_servers) {
  test::FakeServer server = answering(R"("error":{"code":-32002,"message":"gone","data":1})");
  server.resources = "[]";
  begin_with(std::move(server));
  EXPECT_EQ(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x:1"}})"),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"gone","data":1}})");
  hang_up();
}

TEST_F(Through, tools_that_this_host_may_not_use_do_not_exist) {
  add_server(answering(R"("result":{"content":[]})"));
  options.through->tools = {"add", "later"};
  begin_initialized();
  EXPECT_THAT(list_tools(),
              AllOf(HasSubstr(R"("tools":[{"name":"add",)"), Not(HasSubstr(R"("name":"echo")"))));
  const auto call_of = [this](const std::string& name) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + name +
               R"("}})");
  };
  EXPECT_EQ(
      call_of("echo"),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"echo\""}})");
  EXPECT_THAT(call_of("nobody"), HasSubstr(R"("message":"unknown tool \"nobody\"")"));
  EXPECT_THAT(call_of("add"), HasSubstr(R"("result":{"content":[]})"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":2,"method":"vendor/method"})"), HasSubstr("-32601"));
  EXPECT_EQ(links.at("one")->count_sent("tools/call"), 1U);
  hang_up();
}

TEST_F(Through, what_the_user_has_excluded_does_not_exist) {
  test::FakeServer server = answering(R"("result":{})");
  server.configure = [](config::Server& entry) {
    entry.exclude_tools = {"ec*"};
  };
  begin_with(std::move(server));
  EXPECT_THAT(list_tools(), Not(HasSubstr(R"("name":"echo")")));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})"),
              HasSubstr(R"(unknown tool \"echo\")"));
  hang_up();
}

// Eras.

TEST_F(Through, a_host_without_handshake_gets_what_an_older_server_cannot_say) {
  add_server(answering(R"("result":{"content":[]})"));
  begin();
  EXPECT_EQ(ask(stateless("1", "server/discover")),
            R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":)"
            R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],)"
            R"("capabilities":{"tools":{"listChanged":true},"logging":{}},"ttlMs":0,)"
            R"("cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":)"
            R"({"name":"fake","version":"1"}}}})");
  EXPECT_THAT(ask(stateless("2", "tools/list")),
              HasSubstr(R"("result":{"resultType":"complete","ttlMs":0,"cacheScope":"private",)"
                        R"("tools":[)"));
  EXPECT_EQ(ask(stateless("3", "tools/call", R"("name":"echo")")),
            R"({"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}})");
  EXPECT_THAT(to_server().back(), EndsWith(R"("params":{"name":"echo"}})"));
  EXPECT_THAT(ask(stateless("4", "tools/call", R"("name":"echo","requestState":"s")")),
              HasSubstr("requestState is not good"));
  EXPECT_EQ(links.at("one")->count_sent("tools/call"), 1U);
  hang_up();
}

TEST_F(Through, a_host_without_handshake_is_asked_by_results_what_an_older_server_asks) {
  test::FakeServer server = test::echo_server();
  std::string call_id;
  server.on_call = [&](test::ScriptedLink& link, const rpc::Message& request) {
    call_id = request.id().json();
    link.deliver(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create",)"
                 R"("params":{"message":"Who?"}})");
    return "";
  };
  add_server(std::move(server));
  begin();
  const std::string asked = ask(stateless("1", "tools/call", R"("name":"echo")"));
  EXPECT_THAT(asked, HasSubstr(R"("params":{"message":"Who?"})"));
  const Result<json::Document> document = json::Document::parse_view(asked);
  const json::Value state = document->root().at({"result", "requestState"});
  host.deliver(stateless("2",
                         "tools/call",
                         R"("name":"echo","inputResponses":{"1":{"action":"decline"}},)"
                         R"("requestState":)" +
                             std::string(state.raw())));
  wait_for_server(R"("id":"q","result":{"action":"decline"})");
  links.at("one")->deliver(R"({"jsonrpc":"2.0","id":)" + call_id + R"(,"result":{"content":[]}})");
  wait_for_host(R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
  hang_up();
}

TEST_F(Through, a_host_without_handshake_is_asked_for_the_pages_that_an_older_server_wants_open) {
  test::FakeServer server = test::echo_server();
  int calls = 0;
  server.on_call = [&calls](test::ScriptedLink&, const rpc::Message&) -> std::string {
    return ++calls == 2 ? R"("result":{"content":[]})"
                        : R"("error":{"code":-32042,"message":"Not yet","data":{"elicitations":[)"
                          R"({"mode":"url","elicitationId":"e","url":"https://pay.example/1",)"
                          R"("message":"Pay"}]}})";
  };
  add_server(std::move(server));
  begin();
  const std::string can_show = R"({"elicitation":{"url":{}}})";
  const std::string asked = ask(stateless("1", "tools/call", R"("name":"echo")", can_show));
  EXPECT_THAT(asked,
              AllOf(HasSubstr(R"("resultType":"input_required")"),
                    HasSubstr(R"("url":"https://pay.example/1")")));
  const Result<json::Document> document = json::Document::parse_view(asked);
  const json::Value state = document->root().at({"result", "requestState"});
  EXPECT_EQ(ask(stateless("2",
                          "tools/call",
                          R"("name":"echo","inputResponses":{"1":{"action":"accept"}},)"
                          R"("requestState":)" +
                              std::string(state.raw()),
                          can_show)),
            R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
  EXPECT_EQ(calls, 2);
  // One that cannot show pages is told which; the error of before is unknown to it.
  EXPECT_THAT(ask(stateless("3", "tools/call", R"("name":"echo")")),
              AllOf(HasSubstr(R"("code":-32603,"message":"Not yet)"),
                    HasSubstr("https://pay.example/1 (Pay)"),
                    Not(HasSubstr(R"("code":-32042)"))));
  hang_up();
}

TEST_F(Through, nothing_is_between_a_host_and_a_server_without_handshake) {
  const std::string asks =
      R"("result":{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}},)"
      R"("requestState":"of the server"})";
  add_server(modern(answering(asks)));
  begin();
  EXPECT_THAT(ask(stateless("1", "tools/list")),
              HasSubstr(R"("result":{"resultType":"complete","ttlMs":5000,"cacheScope":"public",)"
                        R"("tools":[)"));
  EXPECT_EQ(ask(stateless("2",
                          "tools/call",
                          R"("name":"echo","inputResponses":{"j":{}},"requestState":"older")",
                          R"({"roots":{},"extensions":{"v/x":{}}})")),
            R"({"jsonrpc":"2.0","id":2,)" + asks + "}");
  EXPECT_THAT(to_server().back(),
              AllOf(HasSubstr(R"("inputResponses":{"j":{}},"requestState":"older")"),
                    HasSubstr(R"(/clientCapabilities":{"roots":{},"extensions":{"v/x":{}}})"),
                    Not(HasSubstr("logLevel"))));
  hang_up();
}

TEST_F(Through, what_the_user_does_not_let_servers_ask_is_not_declared) {
  settings.elicitation = false;
  settings.sampling = false;
  add_server(modern(answering(R"("result":{"resultType":"complete"})")));
  begin();
  ask(stateless("2", "tools/call", R"("name":"echo")", R"({"elicitation":{},"sampling":{}})"));
  EXPECT_THAT(to_server().back(), HasSubstr(R"(/clientCapabilities":{})"));
  hang_up();
}

TEST_F(Through, an_older_host_is_asked_what_a_server_without_handshake_asks) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink&, const rpc::Message& request) -> std::string {
    return request.params().find("inputResponses")
               ? R"("result":{"resultType":"complete","content":[]})"
               : R"("result":{"resultType":"input_required","inputRequests":{"k":{"method":)"
                 R"("elicitation/create","params":{"message":"Who?"}}},"requestState":"s"})";
  };
  begin_with(modern(std::move(server)));
  EXPECT_THAT(list_tools(), HasSubstr(R"("result":{"tools":[)"));
  const std::string asked =
      ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}})");
  EXPECT_THAT(asked, EndsWith(R"("method":"elicitation/create","params":{"message":"Who?"}})"));
  host.deliver(R"({"jsonrpc":"2.0","id":1,"result":{"action":"decline"}})");
  wait_for_host(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_THAT(to_server().back(), HasSubstr(R"("inputResponses":{"k":{"action":"decline"}})"));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::host
