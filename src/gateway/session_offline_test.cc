// What a session answers without starting anything: status, list, search, describe, instructions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/session.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using CompatStatus = test::SessionFixture;
using CompatList = test::SessionFixture;
using CompatSearch = test::SessionFixture;
using CompatDescribe = test::SessionFixture;
using CompatInstructions = test::SessionFixture;

test::FakeServer server_with(std::string tools) {
  test::FakeServer server;
  server.tools = std::move(tools);
  return server;
}

std::string tool(const std::string& name, const std::string& description) {
  return R"({"name":")" + name + R"(","description":")" + description +
         R"(","inputSchema":{"type":"object"}})";
}

test::FakeServer resource_server() {
  test::FakeServer server;
  server.resources = R"([{"uri":"demo://r","name":"My Resource!"}])";
  return server;
}

void disable(config::Server& server) {
  server.disabled = true;
}

TEST_F(CompatStatus, row_03_status_of_an_empty_configuration) {
  EXPECT_THAT(text("{}"), StartsWith("MCP: 0/0 servers, 0 tools"));
  EXPECT_EQ(detail(mcp("{}"), "mode"), "\"status\"");
}

TEST_F(CompatStatus, row_04_cold_with_cache_shows_counts_and_starts_nothing) {
  add("echo", test::echo_server());
  remember();
  EXPECT_EQ(text("{}"),
            "MCP: 0/1 servers, 2 tools\n\n\u25cb echo (2 tools, cached)\n\n"
            "mcp({ server: \"name\" }) to list tools, mcp({ search: \"...\" }) to search");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatStatus, row_05_connected_server_shows_check_and_totals) {
  add("echo", test::echo_server());
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":{"text":"hi"}})"), "hi");
  const test::Said status = mcp("{}");
  EXPECT_THAT(status.text, StartsWith("MCP: 1/1 servers, 2 tools\n\n\u2713 echo (2 tools)\n"));
  EXPECT_THAT(detail(status, "servers"), HasSubstr(R"("status":"connected","toolCount":2)"));
}

TEST_F(CompatStatus, row_06_failed_server_shows_when_and_why) {
  add("flaky", {}).refuses = "exited with status 1";
  EXPECT_TRUE(mcp(R"({"tool":"flaky_x"})").is_error);
  EXPECT_THAT(text("{}"), HasSubstr("\u2717 flaky (failed 0s ago) \u2014 "));
  EXPECT_THAT(text("{}"), HasSubstr("exited with status 1"));
  EXPECT_THAT(detail(mcp("{}"), "servers"), HasSubstr(R"("status":"failed")"));
}

TEST_F(CompatStatus, row_07_ends_with_the_hint) {
  add("echo", test::echo_server());
  EXPECT_THAT(text("{}"),
              EndsWith("mcp({ server: \"name\" }) to list tools, "
                       "mcp({ search: \"...\" }) to search"));
}

TEST_F(CompatStatus, row_79_a_disabled_server_is_shown_and_not_counted) {
  add("echo", test::echo_server());
  add("off", test::echo_server()).configure = disable;
  EXPECT_THAT(text("{}"), StartsWith("MCP: 0/1 servers, 0 tools (1 disabled)"));
  EXPECT_THAT(text("{}"), HasSubstr("\u2298 off (disabled)"));
}

TEST_F(CompatStatus, a_server_that_cannot_work_says_why_before_it_is_tried) {
  add("broken", {}).configure = [](config::Server& server) {
    server.problem = "has neither command nor url";
  };
  EXPECT_THAT(text("{}"), HasSubstr("broken (not connected) \u2014 has neither command nor url"));
}

TEST_F(CompatList, row_08_offline_from_the_cache) {
  add("echo", test::echo_server());
  remember();
  const test::Said list = mcp(R"({"server":"echo"})");
  EXPECT_EQ(list.text,
            "echo (2 tools (not connected, cached)):\n\n"
            "- echo_echo - Echoes text back\n- echo_add - Adds two numbers");
  EXPECT_EQ(detail(list, "tools"), R"(["echo_echo","echo_add"])");
  EXPECT_EQ(detail(list, "count"), "2");
  EXPECT_EQ(detail(list, "cached"), "true");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatSearch, what_another_process_learnt_meanwhile_is_found) {
  add("echo", test::echo_server());
  add("other", test::echo_server());
  EXPECT_THAT(text("{}"), HasSubstr("echo (not connected)"));
  learn_elsewhere("echo");
  const std::string found = text(R"({"search":"add numbers"})");
  EXPECT_THAT(found, HasSubstr("echo_add"));
  EXPECT_THAT(found, HasSubstr("never connected: other"));
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools (not connected, cached)"));
  learn_elsewhere("other");
  EXPECT_THAT(text("{}"), HasSubstr("other (2 tools, cached)"));
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatList, a_server_that_is_taken_out_and_put_back_is_as_well_known_as_before) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  config::Settings with = session().settings();
  config::Settings without = with;
  without.servers.clear();
  session().reload(std::move(without));
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("not found"));
  session().reload(std::move(with));
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools (not connected, cached)"));
}

TEST_F(CompatList, row_09_unknown_server) {
  const test::Said list = mcp(R"({"server":"x"})");
  EXPECT_EQ(list.text, "Server \"x\" not found. Use mcp({}) to see available servers.");
  EXPECT_EQ(detail(list, "error"), "\"not_found\"");
  EXPECT_EQ(detail(list, "mode"), "\"list\"");
  EXPECT_TRUE(list.is_error);
  EXPECT_EQ(list.failure, tool::Failure::not_found);
}

TEST_F(CompatList, row_10_never_connected) {
  options.first_wait = Milliseconds(0);
  add("echo", test::echo_server()).hangs = true;
  const test::Said list = mcp(R"({"server":"echo"})");
  EXPECT_THAT(list.text, HasSubstr("is configured but not connected"));
  EXPECT_EQ(detail(list, "error"), "\"not_connected\"");
  EXPECT_TRUE(list.is_error);
}

TEST_F(CompatList, row_11_descriptions_are_cut_at_a_word) {
  add("s",
      server_with("[" +
                  tool("t",
                       "Take a screenshot of the page or element, with options and more "
                       "words until it is long") +
                  "]"));
  EXPECT_THAT(text(R"({"connect":"s"})"),
              EndsWith("- s_t - Take a screenshot of the page or element, with..."));
}

TEST_F(CompatList, a_server_without_tools_says_whether_that_is_known_live) {
  add("none", server_with("[]"));
  EXPECT_EQ(text(R"({"connect":"none"})"), "Server \"none\" has no tools.");
  stop();
  EXPECT_EQ(text(R"({"server":"none"})"), "Server \"none\" has no cached tools (not connected).");
}

TEST_F(CompatList, a_long_list_is_shown_in_pages) {
  std::string tools;
  for (int i = 0; i < 150; ++i) {
    tools += (tools.empty() ? "" : ",") + tool("t" + std::to_string(i), "d");
  }
  add("big", server_with("[" + tools + "]"));
  EXPECT_THAT(text(R"({"connect":"big","limit":100})"),
              EndsWith("\n\n100 of 150 \u2014 offset: 100 for more"));
  const std::string rest = text(R"({"server":"big","limit":100,"offset":100})");
  EXPECT_THAT(rest, HasSubstr("- big_t149"));
  EXPECT_THAT(rest, Not(HasSubstr("for more")));
  EXPECT_THAT(text(R"({"server":"big","limit":2})"), HasSubstr("2 of 150 \u2014 offset: 2"));
}

TEST_F(CompatList, row_83_instructions_are_previewed) {
  test::FakeServer server = test::echo_server();
  server.instructions = std::string(299, 'i') + " and the rest of it";
  add("echo", std::move(server));
  const std::string list = text(R"({"connect":"echo"})");
  EXPECT_THAT(list, HasSubstr("\n\nServer instructions:\n" + std::string(299, 'i') + "...\n"));
  EXPECT_THAT(list, EndsWith("Use mcp({ instructions: \"echo\" }) for the full text."));
}

TEST_F(CompatInstructions, row_83_full_text_also_from_the_cache) {
  test::FakeServer server = test::echo_server();
  server.instructions = "Call add before echo.";
  add("echo", std::move(server));
  add("new", test::echo_server());
  mcp(R"({"connect":"echo"})");
  stop();
  EXPECT_EQ(text(R"({"instructions":"echo"})"), "echo instructions:\n\nCall add before echo.");
  EXPECT_EQ(detail(mcp(R"({"instructions":"echo"})"), "length"), "21");
  EXPECT_EQ(text(R"({"instructions":"echo","offset":21})"),
            "echo instructions: The offset is past the end: there are 21 bytes. "
            "Next: a smaller one, offset: 0 for the first.");
  EXPECT_EQ(detail(mcp(R"({"instructions":"x"})"), "error"), "\"not_found\"");
  mcp(R"({"connect":"new"})");
  EXPECT_EQ(text(R"({"instructions":"new"})"), "Server \"new\" does not provide instructions.");
}

TEST_F(CompatSearch, row_12_words_are_alternatives) {
  add("echo", server_with("[" + tool("echo", "Says it again") + "," + tool("sum", "Adds") + "]"));
  remember();
  const test::Said found = mcp(R"({"search":"again sum"})");
  EXPECT_EQ(detail(found, "count"), "2");
  EXPECT_THAT(found.text, HasSubstr("echo_echo"));
  EXPECT_THAT(found.text, HasSubstr("echo_sum"));
}

TEST_F(CompatSearch, row_12_the_words_echo_and_add_find_both_tools) {
  add("echo", test::echo_server());
  remember();
  EXPECT_EQ(detail(mcp(R"({"search":"echo add"})"), "count"), "2");
}

TEST_F(CompatSearch, row_13_patterns) {
  add("echo", test::echo_server());
  remember();
  const test::Said found = mcp(R"({"search":"^echo_e","regex":true})");
  EXPECT_EQ(detail(found, "matches"), R"([{"server":"echo","tool":"echo_echo","score":0}])");
  EXPECT_THAT(found.text, StartsWith("Found 1 tool matching \"^echo_e\":\n\necho_echo\n"));
  const test::Said bad = mcp(R"({"search":"[","regex":true})");
  EXPECT_THAT(bad.text, StartsWith("Invalid regex: [\n"));
  EXPECT_EQ(detail(bad, "error"), "\"invalid_pattern\"");
  EXPECT_TRUE(bad.is_error);
}

TEST_F(CompatSearch, row_14_words_are_no_patterns) {
  add("s", server_with("[" + tool("axb", "nothing") + "]"));
  remember();
  EXPECT_EQ(detail(mcp(R"({"search":"a.b"})"), "count"), "0");
}

TEST_F(CompatSearch, row_15_an_empty_query) {
  const test::Said empty = mcp(R"({"search":"  "})");
  EXPECT_THAT(empty.text, StartsWith("Search query cannot be empty\n"));
  EXPECT_EQ(detail(empty, "error"), "\"empty_query\"");
}

TEST_F(CompatSearch, row_16_parameters_are_shown_unless_unwanted) {
  add("echo", test::echo_server());
  remember();
  EXPECT_THAT(text(R"({"search":"echoes text"})"),
              HasSubstr("echo_echo\n  Echoes text back\n\n  Parameters:\n"
                        "    text (string) *required*"));
  const std::string names = text(R"({"search":"echoes text","includeSchemas":false})");
  EXPECT_THAT(names, HasSubstr("\n\n- echo_echo - Echoes text back"));
  EXPECT_THAT(names, Not(HasSubstr("Parameters:")));
  EXPECT_THAT(names, Not(HasSubstr("*required*")));
}

TEST_F(CompatSearch, finding_nothing_without_servers_says_how_to_add_one) {
  EXPECT_EQ(text(R"({"search":"weather"})"),
            "No tools matching \"weather\"\n"
            "No server is configured. For the user to run: pi-mcp setup takes over those of "
            "other programs, pi-mcp add NAME -- COMMAND adds one");
}

TEST_F(CompatSearch, finding_nothing_names_the_file_that_cannot_be_read) {
  settings.warnings = {{.path = "/p/mcp.json",
                        .message = "/p/mcp.json: line 3, column 2: no value; the file is left out",
                        .unreadable = true,
                        .line = 3,
                        .column = 2}};
  const std::string said =
      "\nNo server is known: /p/mcp.json: line 3, column 2: no value; the file is left out";
  EXPECT_EQ(text(R"({"search":"weather"})"), "No tools matching \"weather\"" + said);
  for (const char* const request : {R"({"describe":"x"})", R"({"tool":"x"})"}) {
    EXPECT_THAT(text(request), testing::EndsWith(said));
  }
  const std::string status = text("{}");
  EXPECT_THAT(status, HasSubstr("! /p/mcp.json: line 3, column 2: no value"));
  EXPECT_THAT(status, Not(HasSubstr("No server is"))) << "it was just said why";
}

TEST_F(CompatSearch, finding_nothing_while_every_server_is_disabled_says_so) {
  add("off", test::echo_server()).configure = disable;
  EXPECT_EQ(text(R"({"search":"weather"})"),
            "No tools matching \"weather\"\n"
            "Every server is disabled. To use one again, run: pi-mcp enable NAME");
}

TEST_F(CompatSearch, finding_nothing_says_where_to_look_next) {
  add("echo", test::echo_server());
  remember();
  EXPECT_EQ(text(R"({"search":"weather"})"),
            "No tools matching \"weather\"\n"
            "Searched: echo. Try other words, or see all tools of one: mcp({ server: \"echo\" }).");
}

TEST_F(CompatSearch, a_hundred_resources_do_not_stand_before_the_tools) {
  test::FakeServer server = server_with("[" + tool("list_notes", "Lists notes") + "]");
  std::string notes;
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    notes += (notes.empty() ? R"({"uri":"n://)" : R"(,{"uri":"n://)") + number +
             R"(","name":"Notes of week )" + number + "\"}";
  }
  server.resources = "[" + notes + "]";
  add("res", std::move(server));
  remember();
  const auto first = [this](const std::string& query) {
    return text(R"({"search":")" + query + R"(","limit":1})");
  };
  EXPECT_THAT(first("notes of the week"), HasSubstr("res_list_notes"));
  EXPECT_THAT(first("res_read_notes_of_week_17"), HasSubstr("week_17")) << "one that is named";
}

TEST_F(CompatSearch, row_17_server_filter) {
  add("echo", test::echo_server());
  add("res", resource_server());
  remember();
  EXPECT_EQ(text(R"({"search":"adds","server":"res"})"), "No tools matching \"adds\" in \"res\"");
  EXPECT_THAT(text(R"({"search":"adds","server":"s"})"),
              StartsWith("No tools matching \"adds\" in \"s\"\n"));
  EXPECT_EQ(detail(mcp(R"({"search":"adds","server":"s"})"), "error"), "\"server_not_found\"");
  EXPECT_EQ(detail(mcp(R"({"search":"adds","server":"echo"})"), "count"), "1");
}

TEST_F(CompatSearch, row_80_results_come_in_pages) {
  std::string tools;
  for (int i = 0; i < 30; ++i) {
    tools += (tools.empty() ? "" : ",") + tool("file_" + std::to_string(i), "Reads a file");
  }
  add("fs", server_with("[" + tools + "]"));
  remember();
  const test::Said first = mcp(R"({"search":"file"})");
  EXPECT_THAT(first.text, EndsWith("\n\n12 of 30 \u2014 offset: 12 for more"));
  EXPECT_EQ(detail(first, "count"), "30");
  EXPECT_EQ(detail(first, "hasMore"), "true");
  EXPECT_EQ(detail(first, "nextOffset"), "12");
  const test::Said last = mcp(R"({"search":"file","limit":20,"offset":20})");
  EXPECT_EQ(detail(last, "hasMore"), "false");
  EXPECT_EQ(detail(last, "nextOffset"), "null");
  EXPECT_THAT(text(R"({"search":"file","offset":99})"), HasSubstr("there are 30 matching tools"));
}

TEST_F(CompatSearch, details_say_whether_the_best_tool_is_a_good_one) {
  add("echo", test::echo_server());
  remember();
  EXPECT_EQ(detail(mcp(R"({"search":"echoes text"})"), "confidence"), "\"high\"");
  EXPECT_EQ(detail(mcp(R"({"search":"weather"})"), "confidence"), "\"low\"");
  EXPECT_EQ(detail(mcp(R"({"search":"echo","regex":true})"), "confidence"), "");
  EXPECT_EQ(detail(mcp(R"({"search":"","server":"echo"})"), "confidence"), "");
}

TEST_F(CompatSearch, tools_of_one_name_are_shown_with_their_servers) {
  settings.tool_prefix = config::ToolPrefix::none;
  add("a", server_with("[" + tool("fetch", "Gets a page") + "," + tool("only", "Gets it") + "]"));
  add("b", server_with("[" + tool("fetch", "Gets a page") + "]"));
  add("off", server_with("[" + tool("only", "Gets it") + "]")).configure = disable;
  mcp(R"({"connect":"a"})");
  mcp(R"({"connect":"b"})");
  stop();
  const std::string note =
      "\n\nSeveral servers have a tool of such a name: say which one is meant, as in "
      "mcp({ tool: \"fetch\", server: \"a\" }).";
  const std::string found = text(R"({"search":"fetch page"})");
  EXPECT_THAT(found, HasSubstr("\n\nfetch (server \"a\")\n  Gets a page\n  Parameters: none\n"));
  EXPECT_THAT(found, HasSubstr("\n\nfetch (server \"b\")\n  Gets a page\n  Parameters: none\n"));
  EXPECT_THAT(found, HasSubstr("mcp({ tool: \"fetch\", server: \""));
  EXPECT_THAT(text(R"({"server":"a"})"),
              EndsWith("- fetch (server \"a\") - Gets a page\n- only - Gets it" + note));
  EXPECT_THAT(text(R"({"search":"only"})"), Not(HasSubstr("server")));
}

TEST_F(CompatSearch, names_and_descriptions_cannot_command_a_terminal) {
  add("s", server_with("[" + tool(R"(a\nb\u001b[2J)", R"(Reads\u001b]0;x\u0007 it\u009b)") + "]"));
  remember();
  EXPECT_EQ(text(R"({"search":"reads\u0007"})"),
            "Found 1 tool matching \"reads \":\n\ns_a_b_[2J\n  Reads it\n  Parameters: none");
  EXPECT_THAT(text(R"({"describe":"s_a_b_[2J"})"), StartsWith("s_a_b_[2J\nServer: s\n\nReads it"));
}

TEST_F(CompatSearch, paragraphs_of_a_description_do_not_begin_at_the_edge) {
  add("s", server_with("[" + tool("a", R"(Reads it.\n\nfs_write\nServer: fs)") + "]"));
  remember();
  EXPECT_THAT(text(R"({"describe":"s_a"})"),
              StartsWith("s_a\nServer: s\n\n  Reads it.\n\n  fs_write\n  Server: fs\n\nParam"));
}

TEST_F(CompatSearch, servers_that_were_not_searched_are_named_with_what_to_do) {
  add("known", test::echo_server());
  remember();
  add("one", test::echo_server());
  EXPECT_THAT(text(R"({"search":"add"})"),
              EndsWith("Use mcp({ connect: \"one\" }) to include it."));
  add("two", test::echo_server());
  stop();
  EXPECT_THAT(text(R"({"search":"add"})"),
              EndsWith("Not searched, because never connected: one, two. To include them, connect "
                       "each: mcp({ connect: \"one\" }) and so on."));
  EXPECT_THAT(text(R"({"search":"numbers"})"), EndsWith("\n\nNot searched: one, two."));
  EXPECT_TRUE(starts.empty()) << "a search that finds something waits for nobody";
}

TEST_F(CompatSearch, row_81_other_scripts) {
  add("jp",
      server_with("[" + tool("find", "\u65e5\u672c\u8a9e\u306e\u691c\u7d22") + "," +
                  tool("other", "plain") + "]"));
  remember();
  const test::Said found = mcp("{\"search\":\"\u65e5\u672c\u8a9e\"}");
  EXPECT_THAT(detail(found, "matches"), HasSubstr("jp_find"));
  EXPECT_THAT(detail(found, "matches"), Not(HasSubstr("jp_other")));
}

TEST_F(CompatSearch, row_90_no_pattern_can_hang_the_search) {
  add("s", server_with("[" + tool(std::string(60, 'a'), std::string(5000, 'a')) + "]"));
  remember();
  EXPECT_EQ(detail(mcp(R"x({"search":"(a+)+$","regex":true})x"), "count"), "1");
  EXPECT_EQ(detail(mcp(R"x({"search":"(a+)+b$","regex":true})x"), "count"), "0");
  const test::Said long_pattern =
      mcp(R"({"regex":true,"search":")" + std::string(257, 'a') + "\"}");
  EXPECT_EQ(detail(long_pattern, "error"), "\"query_too_long\"");
}

TEST_F(CompatSearch, a_blank_query_with_a_server_shows_all_of_it_by_name) {
  add("echo", test::echo_server());
  remember();
  const std::string all = text(R"({"search":"","server":"echo"})");
  EXPECT_THAT(all, StartsWith("Found 2 tools in \"echo\":\n\necho_add\n"));
  EXPECT_LT(all.find("echo_add"), all.find("echo_echo"));
}

TEST_F(CompatSearch, names_the_servers_that_no_search_can_see) {
  add("echo", test::echo_server());
  remember();
  add("new", test::echo_server());
  const test::Said found = mcp(R"({"search":"echoes"})");
  EXPECT_THAT(found.text,
              EndsWith("\n\nNot searched, because never connected: new. Use "
                       "mcp({ connect: \"new\" }) to include it."));
  EXPECT_EQ(detail(found, "unsearchedServers"), R"(["new"])");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatSearch, row_79_disabled_servers_are_not_searched) {
  add("off", test::echo_server());
  remember();
  servers["off"].configure = disable;
  EXPECT_EQ(detail(mcp(R"({"search":"echo"})"), "count"), "0");
  EXPECT_EQ(detail(mcp(R"({"search":"echo","server":"off"})"), "error"), "\"server_disabled\"");
}

TEST_F(CompatSearch, a_disabled_server_that_is_asked_for_is_named) {
  add("echo", test::echo_server());
  remember();
  add("gone", test::echo_server()).configure = disable;
  const std::string said = "Server \"gone\" is disabled. To use it again, run: pi-mcp enable gone";
  EXPECT_THAT(text(R"({"search":"gone"})"), EndsWith("\n" + said));
  EXPECT_THAT(text(R"({"search":"gone_read"})"), EndsWith("\n" + said));
  EXPECT_THAT(text(R"({"search":"read with gone"})"), EndsWith("\n" + said));
  EXPECT_THAT(text(R"({"search":"nothing"})"), Not(HasSubstr("gone")));
  EXPECT_EQ(text(R"({"describe":"gone_read"})"), said);
  EXPECT_EQ(text(R"({"describe":"gone"})"), said);
}

TEST_F(CompatSearch, row_78_filtered_tools_are_invisible_and_cannot_be_called) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.exclude_tools = {"ad*"};
  };
  EXPECT_THAT(text(R"({"connect":"echo"})"), StartsWith("echo (1 tool):"));
  EXPECT_EQ(detail(mcp(R"({"search":"^echo_add$","regex":true})"), "count"), "0");
  EXPECT_EQ(detail(mcp(R"({"describe":"echo_add"})"), "error"), "\"tool_not_found\"");
  EXPECT_EQ(detail(mcp(R"({"tool":"echo_add","args":{"a":1,"b":2}})"), "error"),
            "\"tool_not_found\"");
}

TEST_F(CompatSearch, keywords_of_the_configuration_find_a_tool) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.search_keywords = {{"add", {"arithmetic"}}};
  };
  remember();
  EXPECT_EQ(detail(mcp(R"({"search":"arithmetic"})"), "count"), "1");
}

TEST_F(CompatSearch, long_parameters_and_descriptions_are_shortened) {
  std::string properties;
  for (int i = 0; i < 200; ++i) {
    properties += (properties.empty() ? "\"p" : ",\"p") + std::to_string(i) +
                  R"(":{"type":"string","description":"what this parameter does"})";
  }
  add("s",
      server_with(R"([{"name":"huge","description":")" + std::string(2000, 'd') +
                  R"( wide","inputSchema":{"type":"object","properties":{)" + properties + "}}}]"));
  remember();
  const std::string found = text(R"({"search":"huge"})");
  EXPECT_LT(found.size(), 1100U);
  EXPECT_THAT(found, HasSubstr("\n  Shape: { p0?: string; p1?: string;"));
  EXPECT_THAT(found, EndsWith("; ..."));
}

TEST_F(CompatDescribe, every_parameter_is_said_with_what_its_schema_says_of_it) {
  std::string codes;
  for (int i = 0; i < 300; ++i) {
    codes += (i == 0 ? "\"code" : ",\"code") + std::to_string(i) + "\"";
  }
  add("fx",
      server_with(R"([{"name":"rich","description":"Takes a picture.","inputSchema":{)"
                  R"("type":"object","required":["path"],"properties":{)"
                  R"("path":{"type":"string","description":"Absolute path below /data"},)"
                  R"("timeout":{"type":"integer","description":"In MILLISECONDS","minimum":1,)"
                  R"("maximum":60000,"default":30000},"when":{"type":"string",)"
                  R"("format":"date-time"},"code":{"enum":[)" +
                  codes +
                  R"(]},"area":{"type":"object","properties":{"unit":{"type":"string",)"
                  R"("description":"px or %"}}}}}}])"));
  remember();
  const std::string described = text(R"({"describe":"fx_rich"})");
  EXPECT_THAT(described, HasSubstr("path (string) *required* - Absolute path below /data\n"));
  EXPECT_THAT(described,
              HasSubstr("timeout (integer) - In MILLISECONDS [minimum: 1] [maximum: 60000] "
                        "[default: 30000]\n"));
  EXPECT_THAT(described, HasSubstr("when (string) [format: \"date-time\"]\n"));
  EXPECT_THAT(described, HasSubstr(" more))\n"));
  EXPECT_THAT(
      described,
      HasSubstr("area (object)\n    unit (string) - px or %\n\nAll values of code: \"code0\", "));
  const std::string found = text(R"({"search":"rich picture"})");
  EXPECT_THAT(found, HasSubstr("\n    path: Absolute path below /data\n"));
  EXPECT_THAT(found, HasSubstr("\n    when: [format: \"date-time\"]"));
  EXPECT_LT(found.size(), 700U);
}

TEST_F(CompatDescribe, row_18_server_and_shape) {
  add("echo", test::echo_server());
  remember();
  const test::Said described = mcp(R"({"describe":"echo_echo"})");
  EXPECT_EQ(described.text,
            "echo_echo\nServer: echo\n\nEchoes text back\n\nParameters:\n  text (string) "
            "*required*");
  EXPECT_THAT(detail(described, "tool"), HasSubstr(R"("originalName":"echo")"));
  EXPECT_EQ(detail(described, "server"), "\"echo\"");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatDescribe, row_18_a_schema_without_shape_is_shown_by_lines) {
  add("s",
      server_with(R"([{"name":"t","inputSchema":{"type":"object",)"
                  R"("properties":{"a":{"not":{"type":"null"}}},"required":["a"]}}])"));
  remember();
  EXPECT_EQ(text(R"({"describe":"s_t"})"),
            "s_t\nServer: s\n\n(no description)\n\nParameters:\n  a *required*");
}

TEST_F(CompatDescribe, every_value_of_a_long_enumeration_can_be_read) {
  std::string values = R"("value_0")";
  for (int i = 1; i < 400; ++i) {
    values += ", \"value_" + std::to_string(i) + "\"";
  }
  add("s",
      server_with(R"([{"name":"t.u","inputSchema":{"type":"object",)"
                  R"("properties":{"a":{"enum":[)" +
                  values + R"(]},"b":{"type":"string"}}}}])"));
  remember();
  std::string seen = text(R"({"describe":"s_t_u"})");
  EXPECT_THAT(seen, StartsWith("s_t_u\nServer: s\nName there: t.u\n"));
  EXPECT_THAT(seen, HasSubstr("\n  b (string)\n\nAll values of a: \"value_0\", "));
  EXPECT_THAT(seen, EndsWith("\"value_399\""));
  EXPECT_THAT(text(R"({"describe":"s_t_u","offset":99999})"),
              HasSubstr("\nThe offset is past the end: there are "));
}

TEST_F(CompatDescribe, a_tool_without_schema) {
  add("s", server_with(R"([{"name":"t","description":"D"}])"));
  remember();
  EXPECT_THAT(text(R"({"describe":"s_t"})"), EndsWith("D\n\nNo parameters defined."));
}

TEST_F(CompatDescribe, row_19_resources) {
  add("res", resource_server());
  remember();
  EXPECT_EQ(text(R"({"describe":"res_read_my_resource"})"),
            "res_read_my_resource\nServer: res\nType: Resource (reads from demo://r)\n\n"
            "Read resource: demo://r\n\nNo parameters required (resource tool).");
}

TEST_F(CompatDescribe, row_20_missing_tools) {
  const test::Said missing = mcp(R"({"describe":"x"})");
  EXPECT_EQ(missing.text,
            "Tool \"x\" not found. Use mcp({ search: \"...\" }) to search.\n"
            "No server is configured. For the user to run: pi-mcp setup takes over those of "
            "other programs, pi-mcp add NAME -- COMMAND adds one");
  EXPECT_EQ(detail(missing, "error"), "\"tool_not_found\"");
  EXPECT_EQ(detail(missing, "requestedTool"), "\"x\"");
  EXPECT_EQ(missing.failure, tool::Failure::not_found);
}

TEST_F(CompatDescribe, row_82_near_names_are_suggested) {
  add("echo", test::echo_server());
  remember();
  const test::Said missing = mcp(R"({"describe":"echo_ecko"})");
  EXPECT_THAT(missing.text, HasSubstr(" to search. Did you mean: echo_echo"));
  EXPECT_THAT(detail(missing, "suggestions"), HasSubstr("echo_echo"));
}

TEST_F(CompatDescribe, says_which_server_does_not_answer_yet) {
  options.first_wait = Milliseconds(0);
  add("new", test::echo_server()).hangs = true;
  EXPECT_THAT(text(R"({"describe":"new_echo"})"),
              EndsWith("\nStill connecting: new. Ask again in a moment."));
}

TEST_F(CompatDescribe, ambiguous_and_narrowed_names) {
  add("a", test::echo_server());
  add("b", test::echo_server());
  remember();
  const test::Said both = mcp(R"({"describe":"add"})");
  EXPECT_EQ(both.text,
            "Tool \"add\" matches multiple servers. Specify a server: a_add (server \"a\"), "
            "b_add (server \"b\").");
  EXPECT_EQ(detail(both, "error"), "\"ambiguous_tool\"");
  EXPECT_EQ(detail(both, "candidates"),
            R"([{"server":"a","tool":"a_add"},{"server":"b","tool":"b_add"}])");
  EXPECT_THAT(text(R"({"describe":"add","server":"b"})"), StartsWith("b_add\nServer: b\n"));
  EXPECT_EQ(detail(mcp(R"({"describe":"add","server":"c"})"), "error"), "\"server_not_found\"");
}

TEST_F(CompatDescribe, row_79_tools_of_a_disabled_server) {
  add("off", test::echo_server());
  remember();
  servers["off"].configure = disable;
  EXPECT_EQ(detail(mcp(R"({"describe":"off_add"})"), "error"), "\"server_disabled\"");
  EXPECT_EQ(detail(mcp(R"({"server":"off"})"), "error"), "\"server_disabled\"");
  EXPECT_EQ(detail(mcp(R"({"connect":"off"})"), "error"), "\"server_disabled\"");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatInstructions, what_a_server_wrote_reaches_model_and_shell_unchanged) {
  const std::string theirs = "Paging \u2014 offset: rows. Like mcp({ connect: 'x' }) elsewhere.";
  add("s", server_with("[" + tool("seek", theirs) + "]")).instructions = theirs;
  remember();
  for (const char* request : {R"({"instructions":"s"})",
                              R"({"describe":"s_seek"})",
                              R"({"search":"seek paging rows"})",
                              R"({"server":"s"})"}) {
    const tool::Answer found = answer(request);
    const bool is_list = found.mode == tool::Mode::list;  // a list cuts descriptions short
    const std::string part = is_list ? "Paging \u2014 offset: rows." : theirs;
    for (const tool::Reader reader : {tool::Reader::model, tool::Reader::shell}) {
      EXPECT_THAT(tool::text_of(found, reader), HasSubstr(part)) << request;
    }
  }
}

TEST_F(CompatList, a_shell_is_told_the_next_page_in_its_own_words) {
  std::string tools;
  for (int i = 0; i < 5; ++i) {
    tools += (tools.empty() ? "" : ",") + tool("t" + std::to_string(i), "d");
  }
  add("s", server_with("[" + tools + "]"));
  remember();
  const tool::Answer page = answer(R"({"server":"s","limit":2})");
  EXPECT_THAT(tool::text_of(page, tool::Reader::model),
              HasSubstr("2 of 5 \u2014 offset: 2 for more"));
  EXPECT_THAT(tool::text_of(page, tool::Reader::shell),
              HasSubstr("2 of 5 \u2014 --offset 2 for more"));
}

}  // namespace
}  // namespace pi_mcp::gateway
