// Direct tools as a host sees them: tools/list, calls, and notices of changes.
#include "tool/direct/direct_tools.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"
#include "tool/definition.h"

namespace pi_mcp::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

class CompatDirect : public test::HostFixture {
 protected:
  // A server of which the cache knows echo and add.
  void add_known(const std::string& name, const std::optional<config::Selection>& selection) {
    test::FakeServer server = test::echo_server();
    server.configure = [selection](config::Server& entry) {
      entry.direct_tools = selection;
    };
    add(name, std::move(server));
  }

  std::vector<std::string> names_listed() {
    const std::string answer = list_tools();
    const Result<json::Document> document = json::Document::parse_view(answer);
    std::vector<std::string> listed;
    for (const json::Value tool : document->root().at({"result", "tools"}).elements()) {
      listed.push_back(tool.find("name").string_or("?"));
    }
    return listed;
  }

  [[nodiscard]] std::size_t notices() const {
    return static_cast<std::size_t>(std::count(host.sent.begin(), host.sent.end(), changed));
  }

  // The server announces that it has other tools now.
  void change_tools(const std::string& server, const std::string& tools) {
    servers[server].tools = tools;
    links[server]->deliver(changed);
  }
};

config::Selection all() {
  return {.all = true, .names = {}, .by_search = false};
}

config::Selection named(std::vector<std::string> names) {
  return {.all = false, .names = std::move(names), .by_search = false};
}

config::Selection by_search() {
  return {.all = false, .names = {}, .by_search = true};
}

TEST_F(CompatDirect, row_75_selected_tools_are_listed_from_the_cache_and_callable) {
  add_known("echo", named({"echo"}));
  add_known("other", std::nullopt);
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_echo"));
  EXPECT_THAT(list_tools(),
              HasSubstr(R"({"name":"echo_echo","description":"Echoes text back",)"
                        R"("inputSchema":{"type":"object",)"));
  EXPECT_TRUE(starts.empty());
  const std::string answer = call_direct("echo_echo", R"({"text":"hi"})");
  EXPECT_THAT(answer, HasSubstr(R"("content":[{"type":"text","text":"hi"}])"));
  EXPECT_THAT(answer, HasSubstr(R"("server":"echo","tool":"echo")"));
  hang_up();
}

TEST_F(CompatDirect, row_75_a_failed_direct_call_says_what_is_wrong) {
  add_known("echo", all());
  remember();
  begin_initialized();
  list_tools();
  const std::string answer = call_direct("echo_add", R"({"a":"x"})");
  EXPECT_THAT(answer, HasSubstr(R"("isError":true)"));
  EXPECT_THAT(answer, HasSubstr("Expected parameters:"));
  EXPECT_THAT(call_direct("echo_add", "[1]"), HasSubstr("invalid_args_type"));
  EXPECT_THAT(call_direct("echo_nothing", "{}"), HasSubstr("-32602"));
  EXPECT_TRUE(starts.empty()) << "a wrong call starts nothing";
  hang_up();
}

TEST_F(CompatDirect, globs_and_displayed_names_select) {
  add_known("echo", named({"ad*", "echo_ec*"}));
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_echo", "echo_add"));
  hang_up();
}

TEST_F(CompatDirect, the_setting_counts_for_servers_without_their_own) {
  settings.direct_tools = all();
  add_known("a", std::nullopt);
  add_known("b", config::Selection{});
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "a_echo", "a_add"));
  hang_up();
}

TEST_F(CompatDirect, row_76_the_variable_selects_servers_and_tools) {
  add_known("echo", std::nullopt);
  add_known("b", all());
  remember();
  environment.variables["MCP_DIRECT_TOOLS"] = "echo/add, c";
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_add"));
  hang_up();
}

TEST_F(CompatDirect, row_76_the_variable_switches_direct_tools_off) {
  add_known("echo", all());
  remember();
  environment.variables["MCP_DIRECT_TOOLS"] = "__none__";
  begin_initialized();
  EXPECT_EQ(list_tools(),
            R"({"jsonrpc":"2.0","id":1,"result":)" + tools_list_result(own_form()) + "}");
  hang_up();
}

TEST_F(CompatDirect, row_77_tools_learned_at_run_time_are_announced_and_callable) {
  add_known("echo", all());
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  host.deliver(call_line(R"({"connect":"echo"})", "2"));
  run_until([this] { return notices() == 1 && host.count_sent(R"("id":2,"result")") == 1; });
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_echo", "echo_add"));
  change_tools("echo", R"([{"name":"fresh"}])");
  run_until([this] { return notices() == 2; });
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_fresh"));
  EXPECT_THAT(call_direct("echo_add", R"({"a":1,"b":2})"), HasSubstr("tool_not_found"))
      << "a host that is behind gets an answer";
  hang_up();
}

TEST_F(CompatDirect, a_host_that_did_not_ask_again_is_told_once) {
  add_known("echo", all());
  begin_initialized();
  list_tools();
  call(R"({"connect":"echo"})");
  change_tools("echo", R"([{"name":"fresh"}])");
  run_until([this] { return session().catalog().tools("echo").size() == 1; });
  ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(notices(), 1U);
  hang_up();
}

TEST_F(CompatDirect, a_frozen_list_stays_as_it_was_first_seen) {
  settings.freeze_direct_tools = true;
  add_known("echo", all());
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  call(R"({"connect":"echo"})");
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  EXPECT_EQ(notices(), 0U);
  hang_up();
}

TEST_F(CompatDirect, search_makes_the_tools_it_shows_direct) {
  add_known("echo", by_search());
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  host.deliver(call_line(R"({"search":"adds numbers"})", "2"));
  run_until([this] { return notices() == 1; });
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "echo_add"));
  EXPECT_TRUE(starts.empty());
  hang_up();
}

TEST_F(CompatDirect, a_name_of_two_servers_is_nobodys) {
  settings.tool_prefix = config::ToolPrefix::none;
  add_known("a", all());
  add_known("b", named({"echo"}));
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "add"));
  hang_up();
}

TEST_F(CompatDirect, names_that_providers_refuse_and_our_own_are_left_to_the_mcp_tool) {
  settings.tool_prefix = config::ToolPrefix::none;
  add_known("a", all());
  servers["a"].tools = R"([{"name":"mcp"},{"name":"caf\u00e9"},{"name":")" + std::string(65, 'x') +
                       R"("},{"name":"fine"}])";
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "fine"));
  hang_up();
}

TEST_F(CompatDirect, every_schema_says_that_it_is_an_object) {
  add_known("a", all());
  servers["a"].tools = R"([{"name":"none"},{"name":"empty","inputSchema":{}},)"
                       R"({"name":"half","inputSchema":{"properties":{"x":{}}}},)"
                       R"({"name":"list","inputSchema":{"type":"array"}}])";
  remember();
  begin_initialized();
  const std::string answer = list_tools();
  const std::string any = R"(,"inputSchema":{"type":"object"}})";
  EXPECT_THAT(answer, HasSubstr("\"a_none\",\"description\":\"(no description)\"" + any));
  EXPECT_THAT(answer, HasSubstr("\"a_empty\",\"description\":\"(no description)\"" + any));
  EXPECT_THAT(answer, HasSubstr(R"("inputSchema":{"type":"object","properties":{"x":{}}}})"));
  EXPECT_THAT(answer, testing::Not(HasSubstr("array")));
  hang_up();
}

TEST_F(CompatDirect, members_for_which_hosts_would_refuse_the_whole_list_stay_away) {
  add_known("a", all());
  servers["a"].tools =
      R"([{"name":"php","inputSchema":{"type":"object","properties":[]}},)"
      R"({"name":"p","inputSchema":{"properties":{"x":true,"y":{"type":"string"}},"required":"y"}},)"
      R"({"name":"q","inputSchema":{"type":"object","required":["y"]},)"
      R"("annotations":{"readOnlyHint":"yes","idempotentHint":true,"own":1}},)"
      R"({"name":"r","execution":{"taskSupport":"bogus"},"icons":[{"href":"x"}],)"
      R"("outputSchema":{"type":"object","properties":7}}])";
  remember();
  begin_initialized();
  const std::string answer = list_tools();
  const std::string no_words = "\",\"description\":\"(no description)\",\"inputSchema\":";
  EXPECT_THAT(answer, HasSubstr("\"a_php" + no_words + R"({"type":"object"}})"));
  EXPECT_THAT(answer,
              HasSubstr("\"a_p" + no_words +
                        R"({"type":"object","properties":{"x":{},"y":{"type":"string"}}}})"));
  EXPECT_THAT(answer,
              HasSubstr("\"a_q" + no_words + R"({"type":"object","required":["y"]},)" +
                        R"("annotations":{"idempotentHint":true,"own":1}})"));
  EXPECT_THAT(answer, HasSubstr("\"a_r" + no_words + R"({"type":"object"}})"));
  hang_up();
}

TEST_F(CompatDirect, members_that_we_do_not_know_reach_the_host) {
  add_known("a", all());
  const std::string output = R"("outputSchema":{"type":"object"})";
  const std::string rest = R"("icons":[{"src":"x"}],"execution":{"taskSupport":"optional"},)"
                           R"("_meta":{"ui":{"resourceUri":"ui://x"}},"future":1})";
  servers["a"].tools = R"([{"name":"t",)" + output + "," + rest +
                       R"(,{"name":"u","outputSchema":{"type":"array"}}])";
  remember();
  begin_initialized();
  const std::string answer = list_tools();
  EXPECT_THAT(answer, HasSubstr(R"("inputSchema":{"type":"object"},)" + output + "," + rest));
  EXPECT_THAT(answer, testing::Not(HasSubstr(R"("outputSchema":{"type":"array"})")))
      << "hosts of earlier revisions would refuse the list";
  hang_up();
}

TEST_F(CompatDirect, one_can_be_called_without_a_list_before) {
  add_known("echo", all());
  remember();
  begin_initialized();
  EXPECT_THAT(call_direct("echo_echo", R"({"text":"hi"})"), HasSubstr(R"("text":"hi")"));
  hang_up();
}

TEST_F(CompatDirect, disabled_servers_have_none) {
  add_known("a", all());
  remember();
  servers["a"].configure = [](config::Server& entry) {
    entry.direct_tools = all();
    entry.disabled = true;
  };
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  hang_up();
}

TEST_F(CompatDirect, an_exposure_makes_tools_direct_where_direct_tools_says_nothing) {
  add_known("a", std::nullopt);
  add_known("b", named({"add"}));
  remember();
  servers["a"].configure = [](config::Server& entry) {
    entry.tool_exposure = {{"echo", config::Exposure::direct}};
  };
  servers["b"].configure = [](config::Server& entry) {
    entry.direct_tools = named({"add"});
    entry.exposure = config::Exposure::direct;
  };
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "a_echo", "b_add"));
  hang_up();
}

TEST_F(CompatDirect, a_hidden_tool_is_not_even_direct) {
  add_known("a", all());
  remember();
  servers["a"].configure = [](config::Server& entry) {
    entry.direct_tools = all();
    entry.tool_exposure = {{"ec*", config::Exposure::hidden}};
  };
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "a_add"));
  EXPECT_THAT(call_direct("a_echo", "{}"), HasSubstr("\"error\":"));
  hang_up();
}

TEST_F(CompatDirect, a_deferred_tool_is_direct_once_a_search_has_shown_it) {
  add_known("a", std::nullopt);
  remember();
  servers["a"].configure = [](config::Server& entry) {
    entry.exposure = config::Exposure::deferred;
  };
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp"));
  host.deliver(call_line(R"({"search":"adds numbers"})", "2"));
  run_until([this] { return notices() == 1; });
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "a_add"));
  hang_up();
}

TEST_F(CompatDirect, row_75_tools_are_selected_by_every_spelling_that_excludes_them) {
  add_known("e", named({"get_my_*", "e_add"}));
  servers["e"].resources = R"([{"uri":"r://1","name":"My Resource"}])";
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), testing::UnorderedElementsAre("mcp", "e_add", "e_read_my_resource"));
  hang_up();
}

TEST_F(CompatDirect, mcp_is_left_out_once_every_direct_tool_is_known) {
  settings.disable_proxy_tool = true;
  add_known("a", named({"echo"}));
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("a_echo"));
  hang_up();
}

TEST_F(CompatDirect, nothing_is_said_of_mcp_where_it_is_left_out) {
  settings.disable_proxy_tool = true;
  add_known("a", named({"echo"}));
  remember();
  begin();
  EXPECT_THAT(initialize("2025-06-18"), Not(HasSubstr("instructions")));
  EXPECT_THAT(call_direct("nobody", "{}"),
              HasSubstr(R"("unknown tool \"nobody\"; tools/list has them all")"));
  hang_up();
}

TEST_F(CompatDirect, a_next_step_is_a_command_where_mcp_is_left_out) {
  settings.disable_proxy_tool = true;
  add_known("a", named({"echo"}));
  remember();
  begin_initialized();
  servers["a"].refuses = "no such program";
  call_direct("a_echo", R"({"text":"hi"})");
  EXPECT_THAT(call_direct("a_echo", R"({"text":"hi"})"),
              HasSubstr(R"(Use pi-mcp connect a to try again now."}],"isError":true)"));
  hang_up();
}

TEST_F(CompatDirect, mcp_stays_while_a_direct_tool_is_missing) {
  settings.disable_proxy_tool = true;
  add_known("a", named({"echo", "gone"}));
  remember();
  begin_initialized();
  EXPECT_THAT(names_listed(), ElementsAre("mcp", "a_echo"));
  hang_up();
}

TEST(DirectSelection, reads_servers_and_tools) {
  EXPECT_TRUE(direct_selection("a, b/x", "a")->all);
  EXPECT_THAT(direct_selection("a, b/x,b/y", "b")->names, ElementsAre("x", "y"));
  EXPECT_THAT(direct_selection("a", "b"), testing::Eq(std::nullopt));
  EXPECT_THAT(direct_selection("__none__", "a"), testing::Eq(std::nullopt));
}

}  // namespace
}  // namespace pi_mcp::tool
