// approveTools as a host sees it: who is asked, what an answer allows, and that nothing runs
// without.
#include "tool/consent/approvals.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/trust/approval_store.h"
#include "support/host_fixture.h"
#include "tool/consent/trust_file.h"

namespace pi_mcp::tool {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
        R"("capabilities":{"elicitation":{},"experimental":{"pi-mcp/details":{}}},)"
        R"("clientInfo":{"name":"h","version":"1"}}})");
  }
  // The host has gone, and with it the session and its servers.
  void end() {
    hang_up();
    stop();
    std::destroy_at(&host);
    std::construct_at(&host, context.get_executor(), test::ScriptedLink::Script());
  }
  void begin_anew() {
    end();
    begin_with_forms();
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

  // A server without configuration whose tool "wipe" says that it destroys.
  test::FakeServer wiper() {
    test::FakeServer server = test::echo_server();
    server.tools =
        R"([{"name":"echo","inputSchema":{"type":"object"}},)"
        R"({"name":"wipe","annotations":{"destructiveHint":true},"inputSchema":{"type":"object"}},)"
        R"({"name":"look","annotations":{"destructiveHint":true,"readOnlyHint":true}}])";
    return server;
  }
  void add_wiper() {
    add("disk", wiper());
    remember();
  }
  static std::string wipe_call(const std::string& arguments = "{}") {
    return call_line(R"({"tool":"disk_wipe","args":)" + arguments + "}", "1");
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
  EXPECT_THAT(asked, HasSubstr(R"("enum":["once","session","always_tool","always_server","no"])"));
  EXPECT_TRUE(starts.empty());
  EXPECT_THAT(decide("once"), HasSubstr(done));
  EXPECT_THAT(question(echo_call("hi")), HasSubstr("elicitation")) << "once is once";
  EXPECT_THAT(decide("no"), HasSubstr(R"("error":"approval_denied")"));
  hang_up();
}

TEST_F(CompatApproval, what_a_named_session_allowed_counts_when_it_is_taken_up_again_and_no_other) {
  options.host = render::HostKind::pi;
  add_guarded(selection({"echo"}));
  const auto name_session = [this](const std::string& id) {
    return ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp_manage",)"
               R"("arguments":{"action":"session","id":")" +
               id + R"("}}})");
  };
  begin_with_forms();
  EXPECT_THAT(name_session("one"), HasSubstr("the session has begun"));
  question(echo_call("hi"));
  decide("session");
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  name_session("two");
  question(echo_call("hi"));
  decide("no");
  begin_anew();
  name_session("one");
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  hang_up();
}

TEST_F(CompatApproval, a_resource_of_a_guarded_server_is_read_only_when_the_user_allows_it) {
  test::FakeServer server = test::echo_server();
  server.resources = R"([{"uri":"demo://r","name":"R"}])";
  server.on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(R"("result":{"contents":[{"uri":"demo://r","text":"body"}]})");
  };
  server.configure = [](config::Server& entry) {
    entry.approve_tools = {.all = true, .names = {}, .by_search = false};
  };
  add("echo", std::move(server));
  remember();
  begin_with_forms();
  const std::string read =
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://r"}})";
  EXPECT_THAT(question(read), HasSubstr(R"("message":"echo wants to run )"));
  EXPECT_THAT(decide("no"), HasSubstr(R"("id":1,"error":{"code":-32603)"));
  EXPECT_TRUE(starts.empty());
  question(read);
  EXPECT_THAT(decide("once"), HasSubstr(R"("text":"body")"));
  hang_up();
}

TEST_F(CompatApproval, what_says_that_it_destroys_is_asked_for_without_any_configuration) {
  add_wiper();
  begin_with_forms();
  EXPECT_THAT(ask(call_line("{}", "1")), HasSubstr("disk"));
  EXPECT_THAT(ask(call_line(R"({"tool":"disk_echo"})", "1")), HasSubstr("result"))
      << "it says nothing";
  EXPECT_THAT(ask(call_line(R"({"tool":"disk_look"})", "1")), HasSubstr("result"))
      << "it only reads";
  EXPECT_THAT(question(wipe_call()), HasSubstr(R"("message":"disk wants to run wipe")"));
  EXPECT_THAT(decide("no"), HasSubstr("The user did not allow"));
  hang_up();
}

TEST_F(CompatApproval, the_question_says_that_a_server_is_the_projects) {
  test::FakeServer server = wiper();
  server.configure = [](config::Server& entry) {
    entry.standing = config::Standing::project;
  };
  add("disk", std::move(server));
  remember();
  begin_with_forms();
  EXPECT_THAT(question(wipe_call()), HasSubstr("disk (project) wants to run wipe"));
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, what_a_project_says_for_all_servers_does_not_replace_the_default) {
  settings.approve_tools = selection({"echo"});
  settings.origins["approveTools"] = {.path = "/p", .import_kind = "", .project = true};
  add_wiper();
  begin_with_forms();
  question(call_line(R"({"tool":"disk_echo"})", "1"));
  decide("no");
  question(wipe_call());
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, what_a_project_says_of_a_server_adds_to_what_the_user_says_of_all) {
  settings.approve_tools = selection({"destructive"});
  test::FakeServer server = wiper();
  server.configure = [](config::Server& entry) {
    entry.approve_tools = selection({"look"});
    entry.origins["approveTools"] = {.path = "/p", .import_kind = "", .project = true};
  };
  add("disk", std::move(server));
  remember();
  begin_with_forms();
  question(call_line(R"({"tool":"disk_look"})", "1"));
  decide("no");
  question(call_line(R"({"tool":"disk_echo"})", "1"));
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, false_switches_the_question_off) {
  settings.approve_tools = config::Selection{};
  add_wiper();
  begin_with_forms();
  EXPECT_THAT(ask(wipe_call()), HasSubstr(R"("content":[)"));
  hang_up();
}

TEST_F(CompatApproval, a_host_that_cannot_ask_runs_what_nobody_guards) {
  add_wiper();
  begin_initialized();
  EXPECT_THAT(ask(wipe_call()), Not(HasSubstr("approval")));
  hang_up();
}

TEST_F(CompatApproval, a_refusal_where_nobody_can_be_asked_says_what_to_change) {
  settings.approve_tools = selection({"marked"});
  add_wiper();
  begin_initialized();
  EXPECT_THAT(ask(wipe_call()),
              AllOf(HasSubstr(R"("error":"approval_required")"),
                    HasSubstr("this host cannot ask for it"),
                    HasSubstr("set approveTools to false"),
                    HasSubstr("serve --split")));
  hang_up();
}

TEST_F(CompatApproval, a_host_that_declines_by_itself_is_not_taken_for_the_user) {
  add_wiper();
  begin_with_forms();
  question(wipe_call());
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"decline"}})"),
              AllOf(HasSubstr("a host that does not ask"), HasSubstr("approveTools")));
  hang_up();
}

TEST_F(CompatApproval, a_tool_that_is_always_allowed_is_asked_for_again_only_when_it_is_another) {
  add_wiper();
  begin_with_forms();
  question(wipe_call());
  decide("always_tool");
  EXPECT_THAT(ask(wipe_call(R"({"x":1})")), HasSubstr(R"("content":[)"));
  begin_anew();
  EXPECT_THAT(ask(wipe_call()), HasSubstr(R"("content":[)")) << "another session";
  end();
  servers["disk"].tools =
      R"([{"name":"wipe","annotations":{"destructiveHint":true},"inputSchema":{"type":"object",)"
      R"("properties":{"everything":{"type":"boolean"}}}}])";
  remember();
  begin_with_forms();
  question(wipe_call());
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, a_server_that_is_always_allowed_is_the_one_that_was_configured_then) {
  add_wiper();
  begin_with_forms();
  question(wipe_call());
  decide("always_server");
  begin_anew();
  EXPECT_THAT(ask(wipe_call()), HasSubstr(R"("content":[)"));
  end();
  servers["disk"].configure = [](config::Server& entry) {
    entry.entry_json = R"({"command":"/bin/true","args":["other"]})";
  };
  remember();
  begin_with_forms();
  question(wipe_call());
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, what_is_kept_is_listed_and_revoking_it_counts_at_once) {
  add_wiper();
  begin_with_forms();
  question(wipe_call());
  decide("always_tool");
  const TrustFile file(dir);
  const auto kept = config::kept_approvals(*file.read());
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 1U);
  EXPECT_EQ(kept->front().server, "disk");
  EXPECT_EQ(kept->front().tool, "wipe");
  EXPECT_THAT(ask(wipe_call()), HasSubstr(R"("content":[)"));
  const auto kept_at = std::filesystem::last_write_time(file.path());
  ASSERT_TRUE(file.update([](const std::string& text) {
    return config::without_approvals(text, [](const config::KeptApproval&) { return true; });
  }));
  std::filesystem::last_write_time(file.path(), kept_at);  // as within one tick of the clock
  question(wipe_call());
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, an_answer_that_cannot_be_kept_counts_for_the_session) {
  add_wiper();
  std::ofstream(TrustFile::path_in(dir)) << "not JSON";
  begin_with_forms();
  question(wipe_call());
  EXPECT_THAT(decide("always_tool"), HasSubstr(R"("content":[)"));
  EXPECT_THAT(ask(wipe_call()), HasSubstr(R"("content":[)"));
  EXPECT_EQ(*TrustFile(dir).read(), "not JSON");
  hang_up();
}

TEST_F(CompatApproval, tools_that_ask_are_marked_where_they_are_shown) {
  add_wiper();
  begin_with_forms();
  EXPECT_THAT(
      call(R"({"search":"wipe"})"),
      AllOf(HasSubstr("disk_wipe (requires approval)"), HasSubstr(R"("requiresApproval":true)")));
  EXPECT_THAT(call(R"({"server":"disk"})"),
              AllOf(HasSubstr("- disk_wipe (requires approval)"),
                    HasSubstr("- disk_echo\\n"),
                    HasSubstr(R"("requireApproval":["disk_wipe"])")));
  EXPECT_THAT(call(R"({"describe":"disk_wipe"})"),
              AllOf(HasSubstr(R"("text":"disk_wipe (requires approval)\nServer: disk)"),
                    HasSubstr(R"("requiresApproval":true)")));
  EXPECT_THAT(call(R"({"describe":"disk_echo"})"), Not(HasSubstr("pproval")));
  hang_up();
}

TEST_F(CompatApproval, a_grant_for_the_session_is_for_this_tool_with_any_arguments) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_THAT(decide("session"), HasSubstr(done));
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  EXPECT_THAT(ask(echo_call("other")), HasSubstr("other"));
  question(call_line(R"({"tool":"echo_add","args":{"a":1,"b":2}})", "1"));
  decide("no");
  EXPECT_FALSE(std::filesystem::exists(TrustFile::path_in(dir)));
  begin_anew();
  question(echo_call("hi"));
  decide("no");
  hang_up();
}

TEST_F(CompatApproval, a_grant_for_the_server_is_for_all_of_its_tools) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  question(echo_call("one"));
  decide("always_server");
  EXPECT_THAT(ask(echo_call("hi")), HasSubstr(done));
  EXPECT_THAT(ask(call_line(R"({"tool":"echo_add","args":{"a":1,"b":2}})", "1")),
              HasSubstr("result"));
  hang_up();
}

// A call that says who makes it, as Pi's extension does.
std::string call_for_extensions(const std::string& args) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mcp","arguments":)" +
         args + R"(,"_meta":{"pi-mcp/call":{"origin":"proxy"}}}})";
}

TEST_F(CompatApproval, other_extensions_of_the_host_decide_before_the_user) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  begin_with_forms();
  const std::string one = call_for_extensions(R"({"tool":"echo_echo","args":{"text":"hi"}})");
  EXPECT_THAT(question(one),
              HasSubstr(R"("pi-mcp/approval":{"server":"echo","tool":"echo","name":"echo_echo",)"
                        R"("origin":"proxy","arguments":{"text":"hi"}})"));
  EXPECT_THAT(decide("no"), HasSubstr("approval_denied"));
  question(one);
  EXPECT_THAT(decide("once"), HasSubstr(done));
  question(one);
  EXPECT_THAT(as_question(decide("open")), HasSubstr("wants to run echo"));
  EXPECT_THAT(decide("no"), HasSubstr("approval_denied"));
  question(one);
  EXPECT_THAT(decide("session"), HasSubstr(done));
  question(one);
  EXPECT_THAT(decide("open"), HasSubstr(done)) << "the user is not asked again";
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
  EXPECT_THAT(decide("no"), HasSubstr("approval_denied"));
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
  as_question(decide("once"));  // its schema has changed
  EXPECT_THAT(decide("once"), HasSubstr(done));
  hang_up();
}

TEST_F(CompatApproval, what_the_user_allowed_stays_when_its_json_is_only_written_otherwise) {
  add_guarded({.all = true, .names = {}, .by_search = false});
  servers["echo"].tools =
      R"([{"name":"echo","description":"Echoes text back","inputSchema":{"type": "object", )"
      R"("properties": {"text": {"type": "string"}}, "required": ["text"]}},{"name":"new"}])";
  begin_with_forms();
  question(echo_call("hi"));
  EXPECT_THAT(decide("once"), HasSubstr(done));
  hang_up();
}

std::string question_about(const std::string& tool, const std::string& arguments) {
  const std::string params = approval_question("shop", tool, arguments);
  const Result<json::Document> document = json::Document::parse_view(params);
  return document->root().find("message").string_or("");
}

TEST(ApprovalQuestion, no_argument_hides_behind_a_long_one) {
  EXPECT_EQ(question_about("buy", R"({"n":1})"), "shop wants to run buy\n{\"n\":1}");
  const std::string asked =
      question_about("run", R"({"note":")" + std::string(1000, 'x') + R"(","command":"rm -rf /"})");
  EXPECT_THAT(asked, HasSubstr("xxx ... (802 characters left out) ... xxx"));
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

bool asks(const std::vector<std::string>& names, const std::string& annotations) {
  return needs_approval(
      selection(names), "t", "s_t", read_hints(SharedText(std::string(annotations))));
}

TEST(NeedsApproval, destructive_means_every_tool_that_does_not_say_otherwise) {
  EXPECT_TRUE(asks({"destructive"}, "{}"));
  EXPECT_TRUE(asks({"destructive"}, R"({"destructiveHint":true})"));
  EXPECT_FALSE(asks({"destructive"}, R"({"readOnlyHint":true})"));
  EXPECT_FALSE(asks({"destructive"}, R"({"destructiveHint":false})"));
  EXPECT_TRUE(asks({"destructive"}, "")) << "it says nothing";
}

TEST(NeedsApproval, marked_means_a_tool_that_says_that_it_destroys) {
  EXPECT_TRUE(asks({"marked"}, R"({"destructiveHint":true})"));
  EXPECT_TRUE(asks({"marked"}, R"({"destructiveHint":true,"readOnlyHint":false})"));
  EXPECT_FALSE(asks({"marked"}, R"({"destructiveHint":true,"readOnlyHint":true})"));
  EXPECT_FALSE(asks({"marked"}, R"({"destructiveHint":false})"));
  EXPECT_FALSE(asks({"marked"}, R"({"readOnlyHint":false})"));
  EXPECT_FALSE(asks({"marked"}, "{}"));
  EXPECT_FALSE(asks({"marked"}, "")) << "it says nothing";
  EXPECT_FALSE(asks({"marked"}, "nonsense"));
}

TEST(NeedsApproval, names_and_globs_are_those_of_the_server_and_the_displayed_ones) {
  EXPECT_FALSE(asks({"x*"}, ""));
  EXPECT_TRUE(asks({"s_*"}, ""));
  EXPECT_TRUE(asks({"t"}, ""));
  EXPECT_FALSE(needs_approval(config::Selection{}, "t", "s_t", {}));
}

}  // namespace
}  // namespace pi_mcp::tool
