// Hosts of revisions without a handshake, whose calls ask by their results.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/host_server.h"
#include "support/host_fixture.h"

namespace pi_mcp::host {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class StatelessHost : public test::HostFixture {
 protected:
  // A server that asks for a form in the middle of its call `echo`.
  void begin_asking() {
    test::FakeServer server = test::echo_server();
    server.on_call = [this](test::ScriptedLink& link, const rpc::Message& request) {
      call_id = request.id().json();
      link.deliver(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create",)"
                   R"("params":{"message":"Who?","requestedSchema":{}}})");
      return "";
    };
    add("echo", std::move(server));
    remember();
    links.clear();
    begin();
  }
  static std::string request(const std::string& id,
                             const std::string& capabilities,
                             const std::string& more = "") {
    return R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"method":"tools/call","params":{"name":"mcp","arguments":)"
           R"({"tool":"echo_echo","args":{"text":"hi"}})" +
           more +
           R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":)" +
           capabilities + "}}}";
  }
  // The request again, for what was asked in this line.
  static std::string again(const std::string& id, const std::string& asked) {
    const Result<json::Document> document = json::Document::parse_view(asked);
    const json::Value result = document->root().find("result");
    std::string key;
    for (const json::Member question : result.find("inputRequests").members()) {
      key = question.name();
    }
    return request(id,
                   forms,
                   R"(,"inputResponses":{")" + key +
                       R"(":{"action":"accept","content":{"n":1.0}}},"requestState":)" +
                       std::string(result.find("requestState").raw()));
  }
  void finish_call() {
    links.at("echo")->deliver(R"({"jsonrpc":"2.0","id":)" + call_id +
                              R"(,"result":{"content":[{"type":"text","text":"done"}]}})");
  }
  void wait_for_server(const std::string& text) {
    run_until([&] {
      return links.contains("echo") &&
             std::ranges::any_of(links.at("echo")->sent, [&text](const std::string& line) {
               return line.find(text) != std::string::npos;
             });
    });
  }

  static constexpr const char* forms = R"({"elicitation":{}})";
  std::string call_id;
};

TEST_F(StatelessHost, is_asked_by_the_result_of_its_call_which_goes_on_with_the_answer) {
  begin_asking();
  const std::string asked = ask(request("1", forms));
  EXPECT_THAT(asked, HasSubstr(R"("id":1,"result":{"resultType":"input_required")"));
  EXPECT_THAT(asked, HasSubstr(R"("message":"echo asks: Who?")"));
  host.deliver(again("2", asked));
  wait_for_server(R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.0}}})");
  const std::size_t before = host.sent.size();
  finish_call();
  run_until([&] { return host.sent.size() > before; });
  EXPECT_EQ(host.sent.back(),
            R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",)"
            R"("content":[{"type":"text","text":"done"}]}})");
  EXPECT_THAT(ask(again("3", asked)), HasSubstr("requestState is not good"));
  hang_up();
}

TEST_F(StatelessHost, gets_a_result_that_came_before_it_came_back) {
  begin_asking();
  const std::string asked = ask(request("1", forms));
  finish_call();
  wait_for_server(R"("id":"q","error")");
  EXPECT_EQ(ask(again("2", asked)),
            R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",)"
            R"("content":[{"type":"text","text":"done"}]}})");
  hang_up();
}

TEST_F(StatelessHost, is_asked_no_more_than_this_request_declares) {
  begin_asking();
  const std::string asked = ask(request("1", forms));
  host.deliver(again("2", asked));
  wait_for_server(R"("id":"q","result")");
  finish_call();
  run_until([&] { return host.sent.size() > 1; });
  links.at("echo")->sent.clear();
  host.deliver(request("3", "{}"));
  wait_for_server(R"("id":"q","error":{"code":-32601)");
  hang_up();
}

TEST_F(StatelessHost, that_goes_away_ends_what_waits_for_it) {
  begin_asking();
  (void)ask(request("1", forms));
  hang_up();
  EXPECT_THAT(links.at("echo")->sent, Contains(HasSubstr("notifications/cancelled")));
  EXPECT_THAT(links.at("echo")->sent, Not(Contains(HasSubstr(R"("action":"accept")"))));
}

}  // namespace
}  // namespace pi_mcp::host
