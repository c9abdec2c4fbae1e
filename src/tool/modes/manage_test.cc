// The tool mcp_manage: who sees it, and what it does.
#include "tool/modes/manage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"
#include "tool/definition.h"

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

test::FakeServer broken_server() {
  test::FakeServer server;
  server.refuses = "no such program";
  return server;
}

class Manage : public test::HostFixture {
 protected:
  void begin_for_pi() {
    options.host = render::HostKind::pi;
    options.config.edit = [this](const KeyChange& change) -> Result<std::string> {
      edits += change.server + "." + std::string(change.key) + "=" + change.value_json +
               (change.scope == Scope::here ? "@here;" : ";");
      return "~/mcp.json";
    };
    options.config.register_servers = [this](const std::string& servers) {
      edits += "register=" + servers + ";";
    };
    begin_initialized();
  }
  std::string manage(const std::string& arguments) { return call_direct("mcp_manage", arguments); }

  std::string edits;
};

TEST_F(Manage, is_for_the_user_interface_of_pi_only) {
  add("echo", test::echo_server());
  begin_for_pi();
  EXPECT_THAT(list_tools(), HasSubstr(R"("name":"mcp_manage")"));
  EXPECT_THAT(list_tools(), HasSubstr(R"("_meta":{"ui":{"visibility":["app"]}})"));
  EXPECT_THAT(call(R"({"tool":"mcp_manage","args":{"action":"disable","server":"echo"}})"),
              HasSubstr("tool_not_found"));
  EXPECT_EQ(edits, "");
  hang_up();
}

TEST_F(Manage, is_unknown_to_other_hosts) {
  add("echo", test::echo_server());
  begin_initialized();
  EXPECT_THAT(list_tools(), Not(HasSubstr("mcp_manage")));
  EXPECT_THAT(manage(R"({"action":"disable","server":"echo"})"), HasSubstr("-32602"));
  hang_up();
}

TEST_F(Manage, says_when_the_variable_decides_which_tools_are_direct) {
  add("echo", test::echo_server());
  environment.variables["MCP_DIRECT_TOOLS"] = "__none__";
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"direct-tools","server":"echo","directTools":true})"),
              HasSubstr("in ~/mcp.json. This session does not use them: MCP_DIRECT_TOOLS is "
                        "set"));
  hang_up();
}

TEST_F(Manage, tells_people_the_status_in_their_words) {
  add("echo", test::echo_server());
  begin_for_pi();
  const std::string answer = manage(R"({"action":"status"})");
  EXPECT_THAT(answer, HasSubstr("MCP: 0/1 servers"));
  EXPECT_THAT(answer, Not(HasSubstr("mcp({")));
  hang_up();
}

TEST_F(Manage, changes_one_key_of_a_server) {
  add("echo", test::echo_server());
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"disable","server":"echo"})"),
              HasSubstr("echo is disabled now, in ~/mcp.json"));
  manage(R"({"action":"enable","server":"echo"})");
  manage(R"({"action":"direct-tools","server":"echo","directTools":[ "add" ]})");
  manage(R"({"action":"direct-tools","server":"echo","directTools":true})");
  EXPECT_EQ(edits,
            "echo.disabled=true;echo.disabled=false;echo.directTools=[\"add\"];"
            "echo.directTools=true;");
  hang_up();
}

TEST_F(Manage, disables_for_one_folder) {
  add("echo", test::echo_server());
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"disable","server":"echo","scope":"here"})"),
              HasSubstr("echo is disabled for this folder now, in ~/mcp.json"));
  EXPECT_EQ(edits, "echo.disabled=true@here;");
  hang_up();
}

// People paste these into a shell.
TEST_F(Manage, an_address_of_an_install_is_one_word_for_a_shell) {
  begin_initialized();
  EXPECT_THAT(call(R"({"action":"install","args":{"url":"https://evil.example/mcp?x&reboot"}})"),
              HasSubstr("The user can run: pi-mcp add evil 'https://evil.example/mcp?x&reboot'"));
  hang_up();
}

TEST_F(Manage, install_refuses_what_it_would_drop) {
  begin_for_pi();
  EXPECT_THAT(call(R"({"action":"install","args":{"url":"https://a.example/","headers":{}}})"),
              HasSubstr(R"(install takes url alone in args, not \"headers\")"));
  EXPECT_THAT(call(R"({"action":"install","args":{"url":"https://a.example/","name":"x"}})"),
              HasSubstr(R"(not \"name\"; the server's name goes into server: mcp({ action: )"
                        R"(\"install\", server: \"NAME\")"));
  EXPECT_EQ(edits, "");
  hang_up();
}

TEST_F(Manage, row_95_nothing_is_added_where_nobody_can_be_asked) {
  begin_for_pi();
  const std::string answer =
      call(R"({"action":"install","url":"https://mcp.example.com/mcp","server":"example"})");
  EXPECT_THAT(answer, HasSubstr("cannot_ask"));
  EXPECT_THAT(answer, HasSubstr("/mcp install https://mcp.example.com/mcp example"));
  EXPECT_THAT(call(R"({"action":"install","url":"http://mcp.example.com/mcp"})"),
              HasSubstr("Failed to install MCP server: an address starts with https://"));
  EXPECT_THAT(
      call(R"({"action":"install","server":"x"})"),
      HasSubstr(R"(install requires args with `url`: mcp({ action: \"install\", server: \"x\", )"
                R"(args: { url: \"https://...\" } }))"));
  for (const char* args : {R"({"url":5})", R"("{\"url\":\"\"}")", "{}"}) {
    EXPECT_THAT(call(R"({"action":"install","args":)" + std::string(args) + "}"),
                HasSubstr("install requires args"));
  }
  EXPECT_THAT(
      call(R"({"action":"install","server":"x","args":{"url":"https://mcp.example.com/mcp"}})"),
      HasSubstr("/mcp install https://mcp.example.com/mcp x"));
  EXPECT_THAT(call(R"({"action":"install","url":"https://a.b","target":"project"})"),
              HasSubstr("invalid_target"));
  EXPECT_THAT(call(R"({"url":"https://a.b"})"), HasSubstr("url and target belong to"));
  EXPECT_EQ(edits, "");
  hang_up();
}

TEST_F(Manage, refuses_what_it_does_not_know) {
  add("echo", test::echo_server());
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"disable","server":"nobody"})"), HasSubstr("\\\"nobody\\\""));
  EXPECT_THAT(manage(R"({"action":"explode","server":"echo"})"), HasSubstr("action must be"));
  EXPECT_THAT(manage(R"({"action":"direct-tools","server":"echo","directTools":[1]})"),
              HasSubstr("needs directTools"));
  EXPECT_EQ(edits, "");
  hang_up();
}

TEST_F(Manage, takes_the_servers_of_other_extensions) {
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"register","servers":{"x":{"command":"c"} } })"),
              HasSubstr("1 server is registered"));
  EXPECT_EQ(edits, R"(register={"x":{"command":"c"}};)");
  EXPECT_THAT(manage(R"({"action":"register","servers":[]})"), HasSubstr("needs servers"));
  hang_up();
}

TEST_F(Manage, takes_the_configuration_that_the_host_brings_and_introduces_its_servers) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.description = "Says it again";
  };
  options.config.configure = [this](const std::string& config) {
    edits += "configure=" + config + ";";
  };
  begin_for_pi();
  const std::string answer =
      manage(R"({"action":"configure","config":{"mcpServers": {"x":{"command":"c"} } } })");
  EXPECT_THAT(answer, HasSubstr("1 server is configured"));
  EXPECT_THAT(answer, HasSubstr("- echo: Says it again"));
  EXPECT_EQ(edits, R"(configure={"mcpServers":{"x":{"command":"c"}}};)");
  EXPECT_THAT(manage(R"({"action":"configure","config":[]})"), HasSubstr("needs config"));
  EXPECT_THAT(manage(R"({"action":"configure"})"), HasSubstr("needs config"));
  hang_up();
}

TEST_F(Manage, takes_no_configuration_where_the_files_count) {
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"configure","config":{}})"),
              HasSubstr("only to pi-mcp serve --host-config"));
  hang_up();
}

TEST_F(Manage, changes_nothing_of_a_configuration_that_was_given) {
  add("echo", test::echo_server());
  settings.given = true;
  begin_for_pi();
  for (const char* arguments : {R"({"action":"disable","server":"echo"})",
                                R"({"action":"enable","server":"echo","scope":"here"})",
                                R"({"action":"direct-tools","server":"echo","directTools":true})",
                                R"({"action":"token","server":"echo"})",
                                R"({"action":"add","server":"x","words":["c"]})",
                                R"({"action":"edit"})",
                                R"({"action":"setup"})"}) {
    const std::string answer = manage(arguments);
    EXPECT_THAT(answer, HasSubstr("was given by the program that runs it")) << arguments;
    EXPECT_THAT(answer, HasSubstr(R"("isError":true)")) << arguments;
  }
  EXPECT_THAT(call(R"({"action":"install","url":"https://mcp.example.com/mcp"})"),
              HasSubstr("was given by the program that runs it"));
  EXPECT_EQ(edits, "");
  EXPECT_THAT(manage(R"({"action":"status"})"), HasSubstr("MCP: 0/1 servers"));
  EXPECT_THAT(manage(R"({"action":"logs","server":"echo"})"), HasSubstr("echo"));
  EXPECT_THAT(manage(R"({"action":"register","servers":{}})"), HasSubstr("registered"));
  hang_up();
}

TEST_F(Manage, says_that_a_program_brought_no_servers) {
  settings.given = true;
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"status"})"),
              HasSubstr("brings its servers, and has brought none"));
  hang_up();
}

TEST_F(Manage, asks_nobody_who_is_not_there) {
  begin_for_pi();
  EXPECT_THAT(manage(R"({"action":"secret","secret":"a b"})"), HasSubstr("a name has letters"));
  EXPECT_THAT(manage(R"({"action":"secret","secret":"A"})"), HasSubstr("was not changed"));
  EXPECT_THAT(manage(R"({"action":"allow"})"), HasSubstr("Nobody can be asked here"));
  hang_up();
}

TEST_F(Manage, says_why_the_configuration_stays_as_it_is) {
  add("echo", test::echo_server());
  begin_for_pi();
  hang_up();
  options.config.edit = [](const KeyChange& /*change*/) {
    return Result<std::string>(fail(ErrorCode::invalid_argument, "mcp.json: line 2 is no JSON"));
  };
  stop();
  std::destroy_at(&host);
  std::construct_at(&host, context.get_executor(), test::ScriptedLink::Script());
  begin_initialized();
  const std::string answer = manage(R"({"action":"disable","server":"echo"})");
  EXPECT_THAT(answer, HasSubstr("mcp.json: line 2 is no JSON"));
  EXPECT_THAT(answer, HasSubstr(R"("isError":true)"));
  hang_up();
}

TEST_F(Manage, row_91_logs_show_the_last_error) {
  add("broken", broken_server());
  begin_for_pi();
  call(R"({"connect":"broken"})");
  const std::string answer = manage(R"({"action":"logs","server":"broken"})");
  EXPECT_THAT(answer, HasSubstr("broken: failed\\nLast error: "));
  EXPECT_THAT(answer, HasSubstr("no such program"));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::tool
