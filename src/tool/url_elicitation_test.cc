#include "tool/url_elicitation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* one_page =
    R"([{"mode":"url","url":"https://pay.example/x","elicitationId":"e1","message":"Pay first"}])";

// A server that wants pages to be opened before it does a call.
class CompatUrlElicitations : public test::HostFixture {
 protected:
  void begin_with(const std::string& pages, const std::string& capability) {
    test::FakeServer server = test::echo_server();
    server.on_call = [pages](test::ScriptedLink&, const rpc::Message&) {
      return R"("error":{"code":-32042,"message":"Not yet","data":{"elicitations":)" + pages + "}}";
    };
    add("echo", std::move(server));
    remember();
    begin();
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{"experimental":{"pi-mcp/details":{}})" +
        capability + R"(},"clientInfo":{"name":"h","version":"1"}}})");
  }
  std::string call_echo() { return call(R"({"tool":"echo_echo","args":{"text":"hi"}})", "1"); }
  // What the host gets after it has answered its request.
  std::string after(const std::string& asked, const std::string& rest) {
    const Result<json::Document> document = json::Document::parse_view(asked);
    const std::size_t before = host.sent.size();
    host.deliver(R"({"jsonrpc":"2.0","id":)" + std::string(document->root().find("id").raw()) +
                 "," + rest + "}");
    run_until([&] { return host.sent.size() > before; });
    return host.sent.back();
  }
};

TEST_F(CompatUrlElicitations, of_this_network_are_neither_put_to_the_user_nor_shown_to_the_model) {
  begin_with(R"([{"mode":"url","url":"https://169.254.169.254/latest","elicitationId":"e1"}])",
             R"(,"elicitation":{"url":{}})");
  const std::string answer = call_echo();
  EXPECT_THAT(answer, HasSubstr("which is refused: "));
  EXPECT_THAT(answer, HasSubstr("privateHosts"));
  EXPECT_EQ(host.count_sent("elicitation/create"), 0U);
  hang_up();
}

TEST_F(CompatUrlElicitations, reach_the_user_of_a_host_that_opens_addresses) {
  begin_with(one_page, R"(,"elicitation":{"url":{}})");
  const std::string asked = call_echo();
  EXPECT_THAT(asked, HasSubstr(R"("method":"elicitation/create")"));
  EXPECT_THAT(asked, HasSubstr(R"("pi-mcp/server":"echo")"));
  EXPECT_THAT(asked,
              HasSubstr(R"("mode":"url","url":"https://pay.example/x","elicitationId":"e1",)"
                        R"("message":"echo asks: Pay first")"));
  const std::string told = after(asked, R"("result":{"action":"accept"})");
  EXPECT_THAT(told, HasSubstr("\"isError\":true"));
  EXPECT_THAT(told, HasSubstr("The user has agreed; call again once the user says that it is"));
  EXPECT_THAT(told, HasSubstr("\"error\":\"url_elicitation_required\""));
  hang_up();
}

TEST_F(CompatUrlElicitations, that_the_user_does_not_want_end_the_asking) {
  begin_with(R"([{"mode":"url","url":"https://a.example/"},)"
             R"({"mode":"url","url":"https://b.example/"}])",
             R"(,"elicitation":{"url":{}})");
  const std::string told = after(call_echo(), R"("result":{"action":"decline"})");
  EXPECT_THAT(told, HasSubstr("the user did not agree"));
  EXPECT_THAT(
      host.sent,
      Not(testing::Contains(AllOf(HasSubstr("elicitation/create"), HasSubstr("b.example")))));
  hang_up();
}

TEST_F(CompatUrlElicitations, are_told_as_text_where_nobody_can_be_asked) {
  begin_with(one_page, R"(,"elicitation":{})");
  const std::string told = call_echo();
  EXPECT_THAT(told, HasSubstr("needs the user to open a page in a browser before"));
  EXPECT_THAT(told, HasSubstr("- https://pay.example/x (Pay first)"));
  EXPECT_THAT(told, HasSubstr(R"("elicitations":[{"mode":"url","url":"https://pay.example/x")"));
  hang_up();
}

TEST_F(CompatUrlElicitations, are_told_as_text_where_elicitation_is_switched_off) {
  settings.elicitation = false;
  begin_with(one_page, R"(,"elicitation":{"url":{}})");
  EXPECT_THAT(call_echo(), HasSubstr("- https://pay.example/x"));
  hang_up();
}

TEST_F(CompatUrlElicitations, are_told_as_text_when_the_host_has_no_answer) {
  begin_with(one_page, R"(,"elicitation":{"url":{}})");
  const std::string told = after(call_echo(), R"("error":{"code":-1,"message":"no browser"})");
  EXPECT_THAT(told, HasSubstr("gave no answer (no browser"));
  EXPECT_THAT(told, HasSubstr("- https://pay.example/x"));
  hang_up();
}

TEST_F(CompatUrlElicitations, that_nobody_should_open_make_it_an_error_like_others) {
  begin_with(R"([{"mode":"url","url":"file:///etc/passwd"},7])", R"(,"elicitation":{"url":{}})");
  const std::string told = call_echo();
  EXPECT_THAT(told, HasSubstr("Failed to call tool"));
  EXPECT_THAT(told, HasSubstr("Not yet"));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::tool
