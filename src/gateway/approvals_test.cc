// approveTools as a host sees it: who is asked, what an answer allows, and that nothing runs
// without.
#include "gateway/approvals.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::HasSubstr;

class CompatApproval : public test::HostFixture {
 protected:
  void add_guarded(config::Selection selection) {
    test::FakeServer server = test::echo_server();
    server.configure = [selection = std::move(selection)](config::Server& entry) {
      entry.approve_tools = selection;
    };
    add("echo", std::move(server));
    remember();
  }
  void begin_with_forms() {
    begin();
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{"elicitation":{}},"clientInfo":{"name":"h","version":"1"}}})");
  }
  // Our question to the host that is next after this line.
  std::string question(const std::string& line) { return as_question(ask(line)); }
  std::string as_question(std::string asked) {
    EXPECT_THAT(asked, HasSubstr(R"("method":"elicitation/create")"));
    const Result<json::Document> document = json::Document::parse_view(asked);
    id = document->root().find("id").raw();
    return asked;
  }
  // The host's answer to it; gives what we send next.
  std::string decide(const std::string& decision) {
    return ask(R"({"jsonrpc":"2.0","id":)" + id +
               R"(,"result":{"action":"accept","content":{"decision":")" + decision + "\"}}}");
  }
  static std::string echo_call(const std::string& text) {
    return call_line(R"({"tool":"echo_echo","args":{"text":")" + text + "\"}}", "1");
  }

  // Cached as a tool that only reads; the server that is started says something else of it.
  void add_changed(const std::string& live_tool) {
    test::FakeServer server = test::echo_server();
    server.tools = R"([{"name":"echo","annotations":{"readOnlyHint":true}}])";
    server.configure = [](config::Server& entry) {
      entry.approve_tools = {.all = false, .names = {"destructive"}, .by_search = false};
    };
    add("echo", std::move(server));
    remember();
    servers["echo"].tools = "[" + live_tool + "]";
  }

  std::string id;
};

config::Selection selection(std::vector<std::string> names) {
  return {.all = false, .names = std::move(names), .by_search = false};
}

constexpr const char* done = R"("content":[{"type":"text","text":"hi"}])";

TEST_F(CompatApproval, row_85_a_host_that_cannot_ask_runs_nothing) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_initialized();
  const std::string answer = ask(echo_call("hi"));
  EXPECT_THAT(answer, HasSubstr(R"("error":"approval_required")"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":true)"));
  EXPECT_TRUE(starts.empty());
  hang_up();
}

TEST_F(CompatApproval, row_85_the_user_is_asked_before_anything_starts) {
  add_guarded(selection({"ec*"}));
  begin_with_forms();
  const std::string asked = question(echo_call("hi"));
  EXPECT_THAT(asked, HasSubstr(R"("message":"echo wants to run echo\n{\"text\":\"hi\"}")"));
  EXPECT_THAT(asked, HasSubstr(R"("enum":["once","session","server","deny"])"));
  EXPECT_TRUE(starts.empty());
  EXPECT_THAT(decide("once"), HasSubstr(done));
  EXPECT_THAT(question(echo_call("hi")), HasSubstr("elicitation")) << "once is once";
  EXPECT_THAT(decide("deny"), HasSubstr(R"("error":"approval_denied")"));
  hang_up();
}

TEST_F(CompatApproval, a_grant_for_the_session_is_for_this_tool_with_these_arguments) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_THAT(decide("session"), HasSubstr(done));
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  question(echo_call("other"));
  decide("deny");
  hang_up();
}

TEST_F(CompatApproval, a_grant_for_the_server_is_for_all_of_its_tools) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("one"));
  decide("server");
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  hang_up();
}

TEST_F(CompatApproval, anything_but_a_clear_yes_is_a_no) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_THAT(decide("nonsense"), HasSubstr("approval_denied"));
  for (const char* rest : {R"("result":{"action":"cancel"})", R"("result":{"action":"decline"})"}) {
    question(echo_call("hi"));
    EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":)" + id + "," + rest + "}"),
                HasSubstr("approval_denied"));
  }
  question(echo_call("hi"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":)" + id +
                  R"(,"error":{"code":-32601,"message":"no such thing"}})"),
              HasSubstr("approval_required"));
  hang_up();
}

TEST_F(CompatApproval, a_call_that_is_cancelled_withdraws_its_question) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("hi"));
  const std::string next =
      ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(
      next,
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id + "}}");
  hang_up();
}

TEST_F(CompatApproval, tools_that_are_not_selected_run_without_a_question) {
  add_guarded(selection({"add"}));
  begin_initialized();
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  hang_up();
}

TEST_F(CompatApproval, a_tool_that_destroys_only_according_to_the_started_server_is_asked_for) {
  add_changed(R"({"name":"echo"})");
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_EQ(starts["echo"], 1);
  EXPECT_THAT(decide("deny"), HasSubstr("approval_denied"));
  question(echo_call("hi"));
  EXPECT_THAT(decide("once"), HasSubstr(done));
  hang_up();
}

TEST_F(CompatApproval, what_the_user_allowed_is_asked_again_when_it_became_another_tool) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  servers["echo"].tools = R"([{"name":"echo","inputSchema":{"type":"object"}}])";
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_TRUE(starts.empty());
  as_question(decide("once"));  // its schema is another one
  EXPECT_THAT(decide("once"), HasSubstr(done));
  hang_up();
}

std::string question_about(const std::string& tool, const std::string& arguments) {
  catalog::CatalogTool guarded;
  guarded.server = "shop";
  guarded.original = tool;
  const std::string params = approval_question(Target(guarded), arguments);
  const Result<json::Document> document = json::Document::parse_view(params);
  return document->root().find("message").string_or("");
}

TEST(ApprovalQuestion, no_argument_hides_behind_a_long_one) {
  EXPECT_EQ(question_about("buy", R"({"n":1})"), "shop wants to run buy\n{\"n\":1}");
  const std::string asked =
      question_about("run", R"({"note":")" + std::string(1000, 'x') + R"(","command":"rm -rf /"})");
  EXPECT_THAT(asked, HasSubstr("xxx... (802 more characters)\n"));
  EXPECT_THAT(asked, HasSubstr("\n\"command\": \"rm -rf /\""));
  std::string many = "{";
  for (int i = 0; i < 100; ++i) {
    many += (i > 0 ? ",\"argument" : "\"argument") + std::to_string(i) + "\":1";
  }
  EXPECT_THAT(question_about("run", many + "}"), HasSubstr("\n... and 80 more"));
}

TEST(ApprovalQuestion, a_tools_name_forges_no_line) {
  EXPECT_EQ(question_about("run\n\x1b[2Jbank wants to run pay", "{}"),
            "shop wants to run run bank wants to run pay");
}

TEST(NeedsApproval, destructive_means_every_tool_that_does_not_say_otherwise) {
  catalog::CatalogTool tool;
  tool.server = "s";
  tool.name = "s_t";
  tool.original = "t";
  const auto asks = [&tool](const std::string& annotations) {
    tool.annotations = SharedText(annotations);
    return needs_approval(selection({"destructive"}), Target(tool));
  };
  EXPECT_TRUE(asks("{}"));
  EXPECT_TRUE(asks(R"({"destructiveHint":true})"));
  EXPECT_FALSE(asks(R"({"readOnlyHint":true})"));
  EXPECT_FALSE(asks(R"({"destructiveHint":false})"));
  tool.annotations = {};
  EXPECT_TRUE(needs_approval(selection({"destructive"}), Target(tool))) << "it says nothing";
  EXPECT_FALSE(needs_approval(selection({"x*"}), Target(tool)));
  EXPECT_TRUE(needs_approval(selection({"s_*"}), Target(tool)));
  EXPECT_FALSE(needs_approval(config::Selection{}, Target(tool)));
}

}  // namespace
}  // namespace pi_mcp::gateway
