// Requests about servers that nobody has connected yet, as after an installation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scripted_host.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FirstUse : public test::SessionFixture {
 protected:
  void add_hanging(const std::string& name) {
    options.first_wait = Milliseconds(0);
    add(name, test::echo_server()).hangs = true;
  }
  void add_failing(const std::string& name) {
    add(name, test::echo_server()).refuses = "no such program";
  }
};

TEST_F(FirstUse, a_search_waits_for_servers_that_nobody_has_started) {
  add("echo", test::echo_server());
  EXPECT_THAT(text(R"({"search":"add numbers"})"), HasSubstr("echo_add"));
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(FirstUse, so_do_list_describe_and_a_call_by_the_name_of_a_tool) {
  for (const char* const request : {R"({"server":"echo"})",
                                    R"({"describe":"echo_add"})",
                                    R"({"describe":"add"})",
                                    R"({"tool":"echo","args":{"text":"hi"}})"}) {
    servers.clear();
    names.clear();
    add("echo", test::echo_server());
    EXPECT_FALSE(mcp(request).is_error) << request;
    stop();
    std::filesystem::remove_all(dir);
  }
}

TEST_F(FirstUse, so_do_read_and_instructions) {
  test::FakeServer server = test::echo_server();
  server.instructions = "Call add before echo.";
  server.resources = R"([{"uri":"demo://r","name":"R"}])";
  server.on_call = [](test::ScriptedLink&, const rpc::Message&) -> std::string {
    return R"("result":{"contents":[{"uri":"demo://r","text":"body"}]})";
  };
  add("other", test::echo_server());
  add("docs", std::move(server));
  EXPECT_EQ(text(R"({"instructions":"docs"})"), "docs instructions:\n\nCall add before echo.");
  EXPECT_EQ(starts["other"], 0);
  stop();
  std::filesystem::remove_all(dir);
  EXPECT_FALSE(mcp(R"({"read":"demo://r"})").is_error);
  EXPECT_THAT(text(R"({"read":"demo://none"})"), HasSubstr("No server is known to have"));
}

TEST_F(FirstUse, a_call_without_a_server_waits_for_those_that_are_still_starting) {
  test::FakeServer server = test::echo_server();
  server.tools = R"([{"name":"deploy"}])";
  server.on_call = [](test::ScriptedLink&, const rpc::Message&) -> std::string {
    return R"("result":{"content":[{"type":"text","text":"deployed"}]})";
  };
  add("other", test::echo_server());
  add("ops", std::move(server));
  wait(session().warm_up());
  EXPECT_THAT(text("{}"), HasSubstr("ops (connecting)"));
  EXPECT_EQ(text(R"({"tool":"deploy"})"), "deployed");
  EXPECT_EQ(starts["ops"], 1);
}

TEST_F(FirstUse, one_that_takes_longer_is_still_connecting) {
  add_hanging("slow");
  EXPECT_THAT(text(R"({"search":"add"})"),
              EndsWith("\nStill connecting: slow. Ask again in a moment."));
  EXPECT_THAT(text(R"({"search":"add"})"), EndsWith("\nNot searched: slow (connecting)."));
  EXPECT_THAT(text("{}"), HasSubstr("slow (connecting)"));
  EXPECT_THAT(text(R"({"server":"slow"})"), HasSubstr("Still connecting: slow."));
  EXPECT_THAT(text(R"({"tool":"unheard"})"), HasSubstr("Still connecting: slow."));
  EXPECT_EQ(starts["slow"], 1) << "it goes on starting";
}

TEST_F(FirstUse, one_that_has_failed_is_said_with_its_reason_and_not_tried_again) {
  add_failing("bad");
  const std::string searched = text(R"({"search":"add"})");
  EXPECT_THAT(searched, HasSubstr("Failed to connect: bad, 0s ago: "));
  EXPECT_THAT(searched, HasSubstr("no such program"));
  EXPECT_THAT(searched, EndsWith("mcp({ connect: \"bad\" }) tries again."));
  EXPECT_THAT(searched, Not(HasSubstr("never connected")));
  EXPECT_THAT(text(R"({"search":"add"})"), EndsWith("\nNot searched: bad (failed)."));
  EXPECT_THAT(text(R"({"server":"bad"})"), HasSubstr("no such program"));
  EXPECT_THAT(text(R"({"describe":"bad_add"})"), HasSubstr("no such program"));
  EXPECT_EQ(starts["bad"], 1);
}

TEST_F(FirstUse, of_several_that_have_failed_only_the_names_are_said) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    add_failing(name);
  }
  for (const char* const request : {R"({"tool":"nothing"})", R"({"describe":"nothing"})"}) {
    EXPECT_EQ(text(request),
              "Tool \"nothing\" not found. Use mcp({ search: \"...\" }) to search.\n"
              "Failed to connect: a, b, c, d, e and 2 more.\n"
              "mcp({ connect: \"a\" }) tries again.");
  }
}

TEST_F(FirstUse, who_meets_a_server_without_a_login_is_told_how_to_start_one) {
  test::FakeServer& locked = add("locked", test::echo_server());
  locked.refuses = "nobody is logged in";
  locked.refusal = ErrorCode::unauthorized;
  locked.configure = [](config::Server& server) {
    server.command.reset();
    server.url = "https://locked.example/mcp";
  };
  const std::string step = R"(mcp({ action: "auth-start", server: "locked" }))";
  EXPECT_THAT(text(R"({"search":"add"})"), EndsWith("\n" + step + " starts a login."));
  EXPECT_THAT(text(R"({"connect":"locked"})"), HasSubstr(step));
  for (const char* const call : {R"({"tool":"locked_x"})", R"({"tool":"x","server":"locked"})"}) {
    const test::Said refused = mcp(call);
    EXPECT_THAT(refused.text, HasSubstr(step)) << call;
    EXPECT_THAT(refused.text, HasSubstr("nobody is logged in")) << call;
    EXPECT_EQ(detail(refused, "error"), "\"auth_required\"") << call;
  }
}

TEST_F(FirstUse, the_users_own_words_are_said_where_a_login_is_needed) {
  settings.auth_required_message = "Ask #platform for access to ${server}.";
  test::FakeServer& locked = add("locked", test::echo_server());
  locked.refuses = "nobody is logged in";
  locked.refusal = ErrorCode::unauthorized;
  locked.configure = [](config::Server& server) {
    server.command.reset();
    server.url = "https://locked.example/mcp";
  };
  EXPECT_EQ(text(R"({"connect":"locked"})"), "Ask #platform for access to locked.");
  EXPECT_THAT(text(R"({"tool":"locked_x"})"), HasSubstr("Ask #platform for access to locked."));
}

TEST_F(FirstUse, what_starts_is_shown_as_soon_as_it_answers_the_question) {
  add("echo", test::echo_server());
  add("slow", test::echo_server()).hangs = true;  // and first_wait is long
  const std::string found = text(R"({"search":"add numbers"})");
  EXPECT_THAT(found, HasSubstr("echo_add"));
  EXPECT_THAT(found, EndsWith("Still connecting: slow. Ask again in a moment."));
}

TEST_F(FirstUse, status_and_searches_that_find_something_start_nothing) {
  add("echo", test::echo_server());
  remember();
  add("other", test::echo_server());
  EXPECT_THAT(text("{}"), HasSubstr("other (not connected)"));
  EXPECT_THAT(text(R"({"search":"add"})"), HasSubstr("echo_add"));
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(FirstUse, a_shell_is_told_how_to_learn_all_at_once) {
  const auto shell_text = [this](const std::string& request) {
    return session().text_of(answer(request), tool::Reader::shell);
  };
  EXPECT_THAT(shell_text(R"({"describe":"x"})"),
              EndsWith("\nNo server is configured. pi-mcp setup takes over those of other "
                       "programs, pi-mcp add NAME -- COMMAND adds one"));
  EXPECT_THAT(shell_text(R"({"tool":"x"})"), HasSubstr("\nNo server is configured."));
  stop();
  settings.warnings = {{.path = "/c", .message = "/c: no", .unreadable = true}};
  EXPECT_THAT(shell_text(R"({"tool":"x"})"), Not(HasSubstr("No server"))) << "stderr has it";
  stop();
  settings.warnings.clear();
  add("known", test::echo_server());
  remember();
  add("one", test::echo_server());
  add("two", test::echo_server());
  EXPECT_THAT(shell_text(R"({"search":"add"})"),
              EndsWith("never connected: one, two. To include them: pi-mcp connect --all"));
}

TEST_F(FirstUse, a_server_that_needs_trust_is_not_started) {
  add("theirs", test::echo_server()).configure = [](config::Server& server) {
    server.standing = config::Standing::needs_trust;
    server.disabled = true;
  };
  (void)text(R"({"search":"add"})");
  (void)text(R"({"describe":"add"})");
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(FirstUse, a_variable_that_the_host_keeps_back_is_said_with_its_remedy) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.env = {{"API_TOKEN", "${FOO_TOKEN}"}};
  };
  auto host = std::make_shared<test::ScriptedHost>();
  host->called = "codex-mcp-client";
  session().meet_host(host);
  EXPECT_THAT(text(R"({"connect":"echo"})"),
              HasSubstr(R"(put env_vars = ["FOO_TOKEN"] under [mcp_servers.pi-mcp])"));
}

}  // namespace
}  // namespace pi_mcp::gateway
