// What servers ask while they work for a host: it reaches that host, and only what it can do.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_server.h"
#include "mcp/client/host_questions.h"
#include "support/host_fixture.h"

namespace pi_mcp::host {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* form =
    R"("method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"a":1.50}}})";
constexpr const char* done = R"({"content":[{"type":"text","text":"done"}]})";

class CompatServerRequests : public test::HostFixture {
 protected:
  // A server that says this instead of answering a call, and a host with these capabilities.
  void begin_asking(const std::string& rest, const std::string& capabilities) {
    test::FakeServer server = test::echo_server();
    server.on_call = [this, rest](test::ScriptedLink& link, const rpc::Message& request) {
      call_id = request.id().json();
      link.deliver(R"({"jsonrpc":"2.0","id":"q",)" + rest);
      return "";
    };
    add("echo", std::move(server));
    remember();
    links.clear();
    begin();
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":)" +
        capabilities + R"(,"clientInfo":{"name":"h","version":"1"}}})");
  }
  // What the host gets next after the call.
  std::string call_echo() { return call(R"({"tool":"echo_echo","args":{"text":"hi"}})", "1"); }
  // The id of a request that we sent to the host.
  static std::string id_of(const std::string& line) {
    const Result<json::Document> document = json::Document::parse_view(line);
    return std::string(document->root().find("id").raw());
  }
  // Our answer to the server's request, once it is there.
  std::string answer_to_server(const std::string& id = "\"q\"") {
    const auto is_answer = [&id](const std::string& line) {
      return line.find("\"id\":" + id) != std::string::npos;
    };
    test::ScriptedLink& link = *links.at("echo");
    run_until([&] { return std::ranges::any_of(link.sent, is_answer); });
    return *std::ranges::find_if(link.sent, is_answer);
  }
  void finish_call() {
    links.at("echo")->deliver(R"({"jsonrpc":"2.0","id":)" + call_id + R"(,"result":)" + done + "}");
  }

  std::string call_id;
};

TEST_F(CompatServerRequests, row_87_a_form_reaches_the_host_and_its_answer_the_server) {
  begin_asking(form, R"({"elicitation":{}})");
  const std::string asked = call_echo();
  EXPECT_THAT(asked, HasSubstr(R"("method":"elicitation/create")"));
  EXPECT_THAT(asked, HasSubstr(R"("message":"echo asks: Who?","requestedSchema":{"a":1.50})"));
  EXPECT_THAT(asked, HasSubstr(R"("pi-mcp/server":"echo")"));
  EXPECT_THAT(links.at("echo")->sent.at(0), HasSubstr(R"("capabilities":{"elicitation":{}})"));
  host.deliver(R"({"jsonrpc":"2.0","id":)" + id_of(asked) +
               R"(,"result":{"action":"accept","content":{"n":1.0}}})");
  EXPECT_EQ(answer_to_server(),
            R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.0}}})");
  const std::size_t before = host.sent.size();
  finish_call();
  run_until([&] { return host.sent.size() > before; });
  EXPECT_THAT(host.sent.back(), HasSubstr(R"("text":"done")"));
  hang_up();
}

TEST_F(CompatServerRequests, row_87_a_model_is_asked_and_a_refusal_passes_unchanged) {
  begin_asking(R"("method":"sampling/createMessage","params":{"messages":[],"maxTokens":5}})",
               R"({"sampling":{}})");
  const std::string asked = call_echo();
  EXPECT_THAT(asked, HasSubstr(R"("method":"sampling/createMessage")"));
  EXPECT_THAT(asked, HasSubstr(R"("messages":[],"maxTokens":5)"));
  host.deliver(R"({"jsonrpc":"2.0","id":)" + id_of(asked) +
               R"(,"error":{"code":-1,"message":"User rejected","data":[1.0]}})");
  EXPECT_EQ(
      answer_to_server(),
      R"({"jsonrpc":"2.0","id":"q","error":{"code":-1,"message":"User rejected","data":[1.0]}})");
  hang_up();
}

TEST_F(CompatServerRequests, row_87_what_a_host_cannot_do_is_neither_declared_nor_asked) {
  begin_asking(form, "{}");
  const std::size_t before = host.sent.size();
  host.deliver(call_line(R"({"tool":"echo_echo","args":{"text":"hi"}})", "1"));
  run_until([this] { return links.contains("echo"); });
  EXPECT_THAT(answer_to_server(), HasSubstr("-32601"));
  EXPECT_THAT(links.at("echo")->sent.at(0), HasSubstr(R"("capabilities":{},)"));
  EXPECT_EQ(host.sent.size(), before) << "the host hears nothing of it";
  hang_up();
}

TEST_F(CompatServerRequests, row_87_settings_take_capabilities_away) {
  settings.elicitation = false;
  settings.sampling = false;
  begin_asking(form, R"({"elicitation":{},"sampling":{},"roots":{}})");
  host.deliver(call_line(R"({"tool":"echo_echo","args":{"text":"hi"}})", "1"));
  run_until([this] { return links.contains("echo"); });
  EXPECT_THAT(answer_to_server(), HasSubstr("-32601"));
  EXPECT_THAT(links.at("echo")->sent.at(0), HasSubstr(R"("capabilities":{"roots":{}})"));
  hang_up();
}

TEST_F(CompatServerRequests, a_call_that_ends_withdraws_its_question) {
  begin_asking(form, R"({"elicitation":{}})");
  const std::string asked = call_echo();
  const std::size_t before = host.sent.size();
  finish_call();
  run_until([&] { return host.sent.size() >= before + 2; });
  EXPECT_THAT(host.sent,
              testing::Contains(AllOf(HasSubstr("notifications/cancelled"),
                                      HasSubstr("\"requestId\":" + id_of(asked)))));
  EXPECT_THAT(answer_to_server(), HasSubstr("cancelled"));
  hang_up();
}

TEST_F(CompatServerRequests, a_server_that_withdraws_its_question_gets_no_answer) {
  begin_asking(form, R"({"elicitation":{}})");
  const std::string asked = call_echo();
  const std::size_t before = host.sent.size();
  links.at("echo")->deliver(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}})");
  run_until([&] { return host.sent.size() > before; });
  EXPECT_THAT(host.sent.back(), HasSubstr("\"requestId\":" + id_of(asked)));
  EXPECT_THAT(links.at("echo")->sent, Not(testing::Contains(HasSubstr("\"id\":\"q\""))));
  hang_up();
}

TEST_F(CompatServerRequests, a_host_that_goes_answers_nothing_more) {
  begin_asking(form, R"({"elicitation":{}})");
  call_echo();
  hang_up();
  EXPECT_THAT(answer_to_server(), HasSubstr("\"error\""));
}

TEST_F(CompatServerRequests, only_so_many_requests_of_a_server_are_under_way) {
  begin_asking(form, R"({"elicitation":{}})");
  call_echo();
  for (std::size_t i = 0; i < mcp::forwarded_requests_max; ++i) {
    links.at("echo")->deliver(R"({"jsonrpc":"2.0","id":)" + std::to_string(i + 1000) + "," + form);
  }
  const std::string last = std::to_string(1000 + mcp::forwarded_requests_max - 1);
  EXPECT_THAT(answer_to_server(last), HasSubstr("too many"));
  hang_up();
}

TEST_F(CompatServerRequests, roots_are_asked_outside_of_calls_and_their_change_is_told) {
  add("echo", test::echo_server());
  begin();
  ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"h","version":"1"}}})");
  EXPECT_THAT(call(R"({"connect":"echo"})"), HasSubstr("\"result\""));
  const std::string asked = [this] {
    const std::size_t before = host.sent.size();
    links.at("echo")->deliver(R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
    run_until([&] { return host.sent.size() > before; });
    return host.sent[before];
  }();
  EXPECT_THAT(asked, HasSubstr(R"("method":"roots/list")"));
  host.deliver(R"({"jsonrpc":"2.0","id":)" + id_of(asked) +
               R"(,"result":{"roots":[{"uri":"file:///srv/a"}]}})");
  EXPECT_THAT(answer_to_server(), HasSubstr("file:///srv/a"));
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  run_until([this] {
    return links.at("echo")->sent.back().find("roots/list_changed") != std::string::npos;
  });
  hang_up();
}

TEST_F(CompatServerRequests, a_server_that_is_told_no_roots_asks_nobody_for_them) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.roots = false;
  };
  begin();
  ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
      R"("capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"h","version":"1"}}})");
  EXPECT_THAT(call(R"({"connect":"echo"})"), HasSubstr("\"result\""));
  test::ScriptedLink& link = *links.at("echo");
  EXPECT_THAT(link.sent.front(), HasSubstr(R"("capabilities":{})"));
  link.deliver(R"({"jsonrpc":"2.0","id":"q","method":"roots/list"})");
  EXPECT_THAT(answer_to_server(), HasSubstr(R"("error")"));
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  EXPECT_THAT(call(R"({"tool":"echo_echo","args":{"text":"hi"}})"), HasSubstr("hi"));
  EXPECT_THAT(link.sent, Not(testing::Contains(HasSubstr("roots/list_changed"))));
  hang_up();
}

TEST_F(CompatServerRequests, the_end_of_a_visit_to_an_address_is_told_to_hosts_that_open_them) {
  begin_asking(R"("method":"elicitation/create","params":{"mode":"url","url":"https://h/x",)"
               R"("elicitationId":"e","message":"Open"}})",
               R"({"elicitation":{"url":{}}})");
  EXPECT_THAT(call_echo(), HasSubstr(R"("mode":"url","url":"https://h/x")"));
  const std::size_t before = host.sent.size();
  links.at("echo")->deliver(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
                            R"("params":{"elicitationId":"e"}})");
  run_until([&] { return host.sent.size() > before; });
  EXPECT_EQ(host.sent.back(),
            R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
            R"("params":{"elicitationId":"e"}})");
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::host
