#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/check.h"
#include "config/hidden.h"
#include "config/server.h"
#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ConfigLoad : public MachineFixture {};

// ---- options of the program ----

TEST_F(ConfigLoad, a_split_is_what_the_user_sets_or_the_command_line_asks_for) {
  EXPECT_FALSE(load().split_tool);
  user(R"({"settings": {"splitTool": true}})");
  EXPECT_TRUE(load().split_tool);
  user(R"({"settings": {"splitTool": false}})");
  options_.split_tool = true;
  EXPECT_TRUE(load().split_tool);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ConfigLoad, of_some_servers_there_are_no_others) {
  user(R"({"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}, "c": {"command": "c"}}})");
  options_.servers = {"c", "a"};
  EXPECT_THAT(names(), ElementsAre("a", "c"));
  EXPECT_THAT(warnings(), IsEmpty());
  options_.servers = {"b", "gone"};
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_THAT(warnings(), ElementsAre("--servers: there is no server \"gone\" any more"));
}

// ---- names in several files ----

TEST_F(ConfigLoad, an_entry_that_another_file_replaces_is_known_as_hidden) {
  files_.add("/home/ann/.config/mcp/mcp.json",
             R"({"mcpServers": {"a": {"command": "old"}, "b": {"command": "b"}}})");
  user(
      R"({"imports": ["cursor"], "mcpServers": {"a": {"command": "a"}, "b": {"disabled": true}}})");
  files_.add("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "theirs"}}})");
  std::vector<std::string> hidden;
  for (const HiddenServer& one : hidden_servers(environment_, files_, options_)) {
    hidden.push_back(one.name + " " + one.path + " " + one.by_path);
  }
  EXPECT_THAT(hidden,
              ElementsAre("a /home/ann/.config/mcp/mcp.json /home/ann/.cursor/mcp.json",
                          "a /home/ann/.cursor/mcp.json /home/ann/.pi/agent/mcp.json"));
}

// ---- malformed input ----

TEST_F(ConfigLoad, malformed_file_gives_one_warning_with_line_and_column_and_others_still_count) {
  user("{\n  \"mcpServers\": {\n    \"a\": {\"command\": }\n  }\n}");
  project(R"({"mcpServers": {"b": {"command": "b"}}})");
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_THAT(warnings(),
              ElementsAre("/home/ann/.pi/agent/mcp.json: line 3, column 22: expected a value; the "
                          "file is left out until that is corrected"));
  const Warning warning = load().warnings[0];
  EXPECT_EQ(warning.path, user_file);
  EXPECT_EQ(warning.line, 3U);
  EXPECT_EQ(warning.column, 22U);
  EXPECT_TRUE(warning.unreadable);
}

TEST_F(ConfigLoad, unreadable_file_gives_a_warning_and_others_still_count) {
  files_.add_unreadable(user_file);
  project(R"({"mcpServers": {"b": {"command": "b"}}})");
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("mcp.json: permission denied; the file is left out")));
}

TEST_F(ConfigLoad, a_server_outside_mcp_servers_or_there_twice_gives_a_warning) {
  user(R"({"a": {"command": "x"}, "other": {"b": 1}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("\"a\" looks like a server")));
  user(R"({"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("server \"a\" is there twice")));
  EXPECT_EQ(load().warnings[0].server, "a");
  user(R"({"mcpServers": {"a": {"command": "x"}}, "mcpServers": {"b": {"command": "y"}}})");
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("\"mcpServers\" is there twice")));
  user(R"({"//": "one", "//": "two", "mcpServers": {}})");
  EXPECT_THAT(warnings(), IsEmpty());
  user(R"({"mcp_servers": {}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("did you mean \"mcpServers\"?")));
  user(R"({"mcpServers": {"a": {"command": "x", "lifecycle": "laazy"}}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("found \"laazy\"")));
}

TEST_F(ConfigLoad, a_hundred_warnings_of_one_file_are_enough) {
  file("/home/ann/.config/mcp/mcp.json", R"({"imports": [1]})");
  std::string entries;
  for (int i = 0; i < 200; ++i) {
    entries += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  }
  user(R"({"mcpServers":{)" + entries + "}}");
  EXPECT_THAT(warnings(), SizeIs(101));
  EXPECT_THAT(warnings().back(), HasSubstr("mcp.json: more is wrong with it"));
}

TEST_F(ConfigLoad, root_that_is_no_object_gives_a_warning) {
  user("[1]");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("must hold one JSON object, found an array")));
}

TEST_F(ConfigLoad, malformed_entry_is_dropped_with_file_server_and_reason) {
  user(R"({"mcpServers": {"a": "npx", "b": {"command": "b"}, " ": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("b"));
  EXPECT_THAT(warnings(),
              ElementsAre("/home/ann/.pi/agent/mcp.json: server \"a\" must be an object, found a "
                          "string; the entry is left out",
                          "/home/ann/.pi/agent/mcp.json: server \" \" needs a name; the entry is "
                          "left out"));
}

TEST_F(ConfigLoad, servers_imports_and_settings_of_the_wrong_type_are_named) {
  user(R"({"mcpServers": [], "imports": "cursor", "settings": 3})");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("\"mcpServers\" must be an object with one entry per server"),
                          HasSubstr("\"imports\" must be an array of strings"),
                          HasSubstr("\"settings\" must be an object, found a number")));
}

TEST_F(ConfigLoad, unknown_import_kind_is_named_with_the_choices) {
  user(R"({"imports": ["curser", 7]})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("unknown import \"curser\" is left out; choose from cursor, "
                            "claude-code, claude-desktop, vscode, windsurf, codex, opencode"),
                  HasSubstr("unknown import a number")));
}

TEST_F(ConfigLoad, field_of_the_wrong_type_is_ignored_and_named_with_the_expected_type) {
  user(R"({"mcpServers": {"x": {"command": "c", "lifecycle": "always", "debug": "yes",
      "idleTimeout": "5", "env": {"A": "1", "B": {}}, "includeTools": "a"}}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("server \"x\": \"lifecycle\" must be one of lazy, eager, keep-alive, "
                            "lazy-keep-alive, found \"always\"; the value is ignored"),
                  HasSubstr("\"debug\" must be true or false, found a string"),
                  HasSubstr("\"idleTimeout\" must be a number of minutes, found a string"),
                  HasSubstr("\"env.B\" must be a string, found an object; it is ignored"),
                  HasSubstr("\"includeTools\" must be an array of strings")));
  const Server loaded = server();
  EXPECT_EQ(loaded.lifecycle, LifecycleMode::lazy);
  EXPECT_EQ(loaded.env, (std::map<std::string, std::string>{{"A", "1"}}));
  EXPECT_FALSE(loaded.problem);
}

TEST_F(ConfigLoad, a_command_for_headers_is_checked_inside) {
  user(R"({"mcpServers": {"x": {"url": "u", "requestHeadersCommand": {"args": "-v",
      "timeoutMs": 90000}}, "y": {"url": "u", "requestHeadersCommand": "sign"}}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("server \"x\": \"requestHeadersCommand.args\" must be an array of "
                            "strings, found a string; it is ignored"),
                  HasSubstr("\"requestHeadersCommand.command\" is missing; the server cannot be "
                            "used until it names a program"),
                  HasSubstr("\"requestHeadersCommand.timeoutMs\" is larger than 60000"),
                  HasSubstr("server \"y\": \"requestHeadersCommand\" must be an object")));
  ASSERT_TRUE(server("x").request_headers_command);
  EXPECT_EQ(server("x").request_headers_command->timeout, Milliseconds(60'000));
  EXPECT_THAT(server("x").request_headers_command->args, IsEmpty());
}

TEST_F(ConfigLoad, field_of_the_wrong_type_does_not_hide_a_lower_source) {
  user(R"({"mcpServers": {"x": {"command": "c", "idleTimeout": 3}}})");
  project(R"({"mcpServers": {"x": {"idleTimeout": "5"}}})");
  EXPECT_EQ(server().idle_timeout_minutes, 3);
}

TEST_F(ConfigLoad, command_of_the_wrong_type_is_a_problem_of_the_server) {
  user(R"({"mcpServers": {"x": {"command": ["npx", "-y"]}, "y": {"command": "c", "args": "-y"}}})");
  EXPECT_EQ(server("x").problem,
            "server \"x\": \"command\" must be a string, found an array; correct it in "
            "/home/ann/.pi/agent/mcp.json");
  EXPECT_THAT(server("y").problem.value_or(""),
              HasSubstr("\"args\" must be an array of strings, found a string"));
  EXPECT_THAT(warnings(), SizeIs(2));
}

// ---- keys of Pi's own client ----

TEST_F(ConfigLoad, an_exact_name_decides_the_exposure_then_the_first_glob_then_the_server) {
  user(R"({"mcpServers": {"x": {"command": "x", "exposure": "codemode-deferred",
      "toolExposure": {"get_*": "direct", "get_b*": "hidden", "get_a": "deferred"}}}})");
  const Server x = server();
  const auto exposure = [&x](const std::string& tool) {
    return exposure_of(x, std::vector<std::string>{tool, "x_" + tool});
  };
  EXPECT_EQ(exposure("get_a"), Exposure::deferred);
  EXPECT_EQ(exposure("get_b"), Exposure::direct);
  EXPECT_EQ(exposure("put"), Exposure::codemode);
  EXPECT_FALSE(x.hidden);
}

TEST_F(ConfigLoad, a_server_is_hidden_when_all_of_its_tools_are) {
  user(R"({"mcpServers": {"x": {"command": "x", "exposure": "hidden",
      "toolExposure": {"a": "hidden"}}}})");
  EXPECT_TRUE(server().hidden);
  EXPECT_TRUE(server().disabled);
  user(R"({"mcpServers": {"x": {"command": "x", "exposure": "hidden",
      "toolExposure": {"a": "codemode"}}}})");
  EXPECT_FALSE(server().hidden);
  EXPECT_FALSE(server().disabled);
}

TEST_F(ConfigLoad, only_the_warning_about_the_value_that_is_the_problem_says_the_same) {
  user(R"({"mcpServers": {"x": {"": "a note", "command": 1, "lifecycle": 5},
      "y": {"": "a note", "command": "y", "lifecycle": 5}}})");
  const Settings settings = load();
  std::vector<std::string> same;
  for (const Warning& warning : settings.warnings) {
    if (is_problem_of(*settings.find(warning.server), warning)) {
      same.push_back(warning.message);
    }
  }
  EXPECT_EQ(settings.warnings.size(), 3U);
  EXPECT_THAT(same, ElementsAre(HasSubstr("server \"x\": \"command\"")));
}

TEST_F(ConfigLoad, an_exposure_that_is_not_one_is_a_problem_of_the_server) {
  user(R"({"mcpServers": {"x": {"command": "x", "toolExposure": {"a": "hiden"}}}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("cannot be used until that is corrected")));
  EXPECT_THAT(server().problem.value_or(""), HasSubstr("\"toolExposure\" must be an object whose"));
}

TEST_F(ConfigLoad, timeout_is_in_seconds_and_in_milliseconds_where_claude_code_reads_it_too) {
  user(R"({"mcpServers": {"x": {"command": "x", "timeout": 1.5}}})");
  EXPECT_EQ(server().request_timeout, Milliseconds(1500));
  user(R"({"mcpServers": {"x": {"command": "x", "timeout": 1, "requestTimeoutMs": 7}}})");
  EXPECT_EQ(server().request_timeout, Milliseconds(7));
  user("{}");
  files_.add("/home/ann/code/app/.mcp.json",
             R"({"mcpServers": {"x": {"command": "x", "timeout": 9000}}})");
  EXPECT_EQ(server().request_timeout, Milliseconds(9000));
}

TEST_F(ConfigLoad, a_key_that_does_nothing_here_is_named_with_the_reason) {
  user(R"({"settings": {"jev": {}, "scriptMode": false}})");
  EXPECT_THAT(warnings(),
              testing::UnorderedElementsAre(
                  HasSubstr("settings: \"jev\" does nothing here: searches stay")));
}

TEST_F(ConfigLoad, traces_are_the_users_to_want) {
  user(R"({"mcpServers": {"x": {"command": "x", "trace": false}, "y": {"command": "y"}},
      "settings": {"trace": {"enabled": true, "file": "t.jsonl", "maxBytes": 9, "maxEvents": 0}}})");
  const TraceSettings trace = load().trace;
  EXPECT_TRUE(trace.enabled);
  EXPECT_EQ(trace.file, "t.jsonl");
  EXPECT_EQ(trace.bytes_max, 9U);
  EXPECT_EQ(trace.events_max, 10'000U);
  EXPECT_EQ(server("x").trace, false);
  EXPECT_EQ(server("y").trace, std::nullopt);
  user(R"({"settings": {"trace": true}})");
  EXPECT_TRUE(load().trace.enabled);
  files_.add("/home/ann/code/app/.mcp.json",
             R"({"settings": {"trace": {"enabled": true, "file": "/home/ann/.bashrc"}}})");
  EXPECT_EQ(load().trace.file, "") << "a project writes nowhere";
}

TEST_F(ConfigLoad, entry_needs_exactly_one_transport) {
  user(R"({"mcpServers": {"none": {"args": []}, "two": {"command": "c", "url": "u"},
      "empty": {"command": " "}}})");
  EXPECT_THAT(server("none").problem.value_or(""),
              HasSubstr("must configure exactly one of command, url, or socket; it has none"));
  EXPECT_THAT(server("two").problem.value_or(""), HasSubstr("it has command and url"));
  EXPECT_THAT(server("empty").problem.value_or(""), HasSubstr("\"command\" is empty"));
}

TEST_F(ConfigLoad, misspelt_keys_are_named_once_with_the_likely_key) {
  user(R"({"mcpServer": {}, "settings": {"toolprefix": "none"},
      "mcpServers": {"x": {"comand": "npx", "command": "npx"}}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("unknown key \"mcpServer\" at the top level, did you mean "
                            "\"mcpServers\"?"),
                  HasSubstr("unknown key \"comand\" in server x, did you mean \"command\"?"),
                  HasSubstr("unknown key \"toolprefix\" in settings, did you mean "
                            "\"toolPrefix\"?")));
}

TEST_F(ConfigLoad, other_unknown_keys_are_kept_without_a_word) {
  user(R"({"$schema": "s", "theme": 1, "mcpServers": {"x": {"command": "c", "dev": {"watch": "*"},
      "_args": 1, "description": "d", "env": {}}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server().entry_json,
            R"({"command":"c","dev":{"watch":"*"},"_args":1,"description":"d","env":{}})");
}

TEST_F(ConfigLoad, servers_key_of_vscode_is_explained) {
  user(R"({"servers": {"x": {"command": "c"}}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("rename it to \"mcpServers\"")));
}

TEST_F(ConfigLoad, comments_trailing_commas_and_a_byte_order_mark_are_fine) {
  user(
      "\xef\xbb\xbf// mine\n{\"mcpServers\": {\"x\": {\"command\": \"c\", /* a */ \"args\": "
      "[\"-y\",],},},}");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server().entry_json, R"({"command":"c","args":["-y"]})");
}

TEST_F(ConfigLoad, empty_or_comment_only_file_counts_as_absent) {
  user(" \n");
  project("// nothing yet\n/* really */ ");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ConfigLoad, unterminated_comment_is_malformed) {
  user("/* open");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("line 1, column 1")));
}

// ---- order ----

TEST_F(ConfigLoad, project_file_overrides_user_file_overrides_import) {
  file("/home/ann/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "cursor", "args": ["c"], "cwd": "/c"}}})");
  user(R"({"imports": ["cursor"], "mcpServers": {"x": {"command": "user", "args": ["u"]}}})");
  project(R"({"mcpServers": {"x": {"command": "project"}}})");
  const Server loaded = server();
  EXPECT_EQ(loaded.command, "project");
  EXPECT_EQ(loaded.origin.path, project_file);
  EXPECT_THAT(loaded.args, IsEmpty()) << "another program inherits nothing (project_merge_test.cc)";
  project("");
  const Server users = server();
  EXPECT_THAT(users.args, ElementsAre("u"));
  EXPECT_EQ(users.cwd, "/c");
  EXPECT_EQ(users.origins.at("args").path, user_file);
  EXPECT_EQ(users.origins.at("cwd").path, "/home/ann/.cursor/mcp.json");
  EXPECT_EQ(users.origins.at("cwd").import_kind, "cursor");
}

TEST_F(ConfigLoad, every_source_counts_in_the_documented_order) {
  const std::vector<std::string> paths = {"/home/ann/.config/mcp/mcp.json",
                                          "/home/ann/.agents/mcp.json",
                                          "/home/ann/.agents/mcp/mcp.json",
                                          user_file,
                                          "/home/ann/code/.mcp.json",
                                          "/home/ann/code/.pi/mcp.json",
                                          shared_project_file,
                                          project_file};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    // Each file adds a server of its own and names itself in x.
    file(paths[i],
         R"({"mcpServers": {"x": {"command": "c)" + std::to_string(i) + R"("}, "s)" +
             std::to_string(i) +
             R"(": {"command": "c"}}, "settings": {"ancestorConfigRoots": ["~/code"]}})");
    EXPECT_EQ(server().command, "c" + std::to_string(i)) << paths[i];
  }
  EXPECT_THAT(names(), ElementsAre("x", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"));
}

TEST_F(ConfigLoad, ancestor_roots_count_only_from_user_files) {
  file("/home/ann/code/.mcp.json", R"({"mcpServers": {"x": {"command": "c"}}})");
  project(R"({"settings": {"ancestorConfigRoots": ["~/code"]}})");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("counts only in files of the user")));
  user(R"({"settings": {"ancestorConfigRoots": ["~/code"]}})");
  EXPECT_THAT(names(), ElementsAre("x"));
}

TEST_F(ConfigLoad, ancestor_root_must_be_a_directory_below_home_that_holds_the_working_directory) {
  files_.add_directory("/home/ann").add_directory("/srv").add_directory("/home/ann/other");
  user(R"({"settings": {"ancestorConfigRoots": ["~", "/srv", "code", "~/gone", "~/other"]}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("the root \"~\" in \"ancestorConfigRoots\" must be a directory "
                            "below the home directory"),
                  HasSubstr("\"/srv\" in \"ancestorConfigRoots\" must be a directory below"),
                  HasSubstr("must be absolute or start with ~/"),
                  HasSubstr("\"~/gone\" in \"ancestorConfigRoots\" is not a directory")));
}

// ---- hosts that are discovered ----

TEST_F(ConfigLoad, servers_of_other_hosts_are_discovered_only_when_the_user_says_so) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"c": {"command": "c"}}})");
  EXPECT_THAT(names(), IsEmpty());
  user(R"({"settings": {"hostConfigDiscovery": "on"}})");
  EXPECT_THAT(names(), ElementsAre("c"));
  user(R"({"settings": {"hostConfigDiscovery": "off"}})");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ConfigLoad, a_discovered_server_never_changes_one_of_a_file) {
  file("/home/ann/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "theirs", "env": {"A": "1"}}}})");
  user(R"({"mcpServers": {"x": {"command": "ours"}}, "settings": {"hostConfigDiscovery": "on"}})");
  EXPECT_EQ(server().command, "ours");
  EXPECT_THAT(server().env, IsEmpty());
}

TEST_F(ConfigLoad, discovery_that_is_to_be_asked_for_only_notes_which_host_has_servers) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"c": {"command": "c"}}})");
  user(R"({"settings": {"hostConfigDiscovery": "prompt"}})");
  EXPECT_THAT(names(), IsEmpty());
  const Settings settings = load();
  ASSERT_THAT(settings.notes, SizeIs(1));
  EXPECT_THAT(settings.notes[0].message, HasSubstr("the servers of cursor are left out"));
}

TEST_F(ConfigLoad, a_project_cannot_switch_discovery_on) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"c": {"command": "c"}}})");
  project(R"({"settings": {"hostConfigDiscovery": "on"}})");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("counts only in files of the user")));
}

TEST_F(ConfigLoad, the_deepest_ancestor_root_wins) {
  environment_.cwd = "/home/ann/code/team/app";
  file("/home/ann/code/.mcp.json", R"({"mcpServers": {"far": {"command": "c"}}})");
  file("/home/ann/code/team/.mcp.json", R"({"mcpServers": {"near": {"command": "c"}}})");
  user(R"({"settings": {"ancestorConfigRoots": ["~/code/team", "~/code"]}})");
  EXPECT_THAT(names(), ElementsAre("near"));
}

TEST_F(ConfigLoad, exclusive_mode_reads_the_user_file_and_its_imports_only) {
  environment_.variables["PI_MCP_CONFIG_MODE"] = " Exclusive ";
  file("/home/ann/.config/mcp/mcp.json", R"({"mcpServers": {"shared": {"command": "c"}}})");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"imported": {"command": "c"}}})");
  user(R"({"imports": ["cursor"], "mcpServers": {"user": {"command": "c"}}})");
  project(R"({"mcpServers": {"project": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("imported", "user"));
}

TEST_F(ConfigLoad, agent_dir_comes_from_the_variable_with_tilde) {
  environment_.variables["PI_CODING_AGENT_DIR"] = "~/agent";
  file("/home/ann/agent/mcp.json", R"({"mcpServers": {"x": {"command": "c"}}})");
  user(R"({"mcpServers": {"not read": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("x"));
  EXPECT_EQ(load().agent_dir, "/home/ann/agent");
  environment_.variables["PI_CODING_AGENT_DIR"] = "";
  EXPECT_EQ(load().agent_dir, "/home/ann/.pi/agent");
}

TEST_F(ConfigLoad, config_option_replaces_the_user_file) {
  user(R"({"mcpServers": {"user": {"command": "c"}}})");
  project(R"({"mcpServers": {"project": {"command": "c"}}})");
  file("/home/ann/code/app/sub/my.json", R"({"mcpServers": {"mine": {"command": "c"}}})");
  options_.config_file = "./sub/my.json";
  EXPECT_THAT(names(), ElementsAre("mine", "project"));
  options_.config_file = "~/code/app/sub/my.json";
  EXPECT_THAT(names(), ElementsAre("mine", "project"));
}

TEST_F(ConfigLoad, missing_file_given_with_config_is_the_first_warning) {
  file("/home/ann/.config/mcp/mcp.json", "{");
  options_.config_file = "gone.json";
  ASSERT_THAT(warnings(), SizeIs(2));
  EXPECT_EQ(
      warnings()[0],
      "/home/ann/code/app/gone.json: the file given with --config does not exist; create it or "
      "correct the path");
}

TEST_F(ConfigLoad, malformed_file_given_with_config_is_the_first_warning) {
  file("/home/ann/.config/mcp/mcp.json", "{");
  file("/home/ann/code/app/bad.json", "[");
  options_.config_file = "bad.json";
  ASSERT_THAT(warnings(), SizeIs(2));
  EXPECT_THAT(warnings()[0], HasSubstr("bad.json: line 1, column 2"));
}

TEST_F(ConfigLoad, the_same_file_is_read_once) {
  files_.add_link("/home/ann/.pi/agent/mcp.json", shared_project_file);
  file(shared_project_file, "{");
  EXPECT_THAT(warnings(), SizeIs(1));
}

TEST_F(ConfigLoad, source_files_lists_every_place_lowest_first_with_imports_below_their_source) {
  user(R"({"imports": ["cursor"]})");
  std::vector<std::string> listed;
  for (const SourceFile& source : source_files(environment_, files_, options_)) {
    listed.push_back(source.role + " " + source.path);
  }
  EXPECT_THAT(listed,
              ElementsAre("shared user file /home/ann/.config/mcp/mcp.json",
                          "shared agents file /home/ann/.agents/mcp.json",
                          "shared agents file /home/ann/.agents/mcp/mcp.json",
                          "import cursor /home/ann/.cursor/mcp.json",
                          "import cursor /home/ann/code/app/.cursor/mcp.json",
                          "user file /home/ann/.pi/agent/mcp.json",
                          "shared project file /home/ann/code/app/.mcp.json",
                          "project file /home/ann/code/app/.pi/mcp.json"));
}

TEST_F(ConfigLoad, an_import_sits_below_the_source_that_names_it_and_above_lower_sources) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"x": {"command": "cursor"}}})");
  shared(R"({"mcpServers": {"x": {"command": "shared"}}})");
  user(R"({"imports": ["cursor"]})");
  EXPECT_EQ(server().command, "cursor");
}

TEST_F(ConfigLoad, what_a_project_imports_stands_below_all_that_the_user_has) {
  file("/home/ann/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "cursor"}, "y": {"command": "cursor"}}})");
  user(R"({"mcpServers": {"x": {"command": "user"}}})");
  file(shared_project_file, R"({"imports": ["cursor"]})");
  EXPECT_EQ(server("x").command, "user");
  EXPECT_EQ(server("y").command, "cursor");
}

TEST_F(ConfigLoad, the_first_import_in_a_list_wins) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"x": {"command": "cursor"}}})");
  file("/home/ann/.codeium/windsurf/mcp_config.json",
       R"({"mcpServers": {"x": {"command": "windsurf", "cwd": "/w"}, "y": {"command": "w"}}})");
  user(R"({"imports": ["cursor", "windsurf"]})");
  EXPECT_EQ(server("x").command, "cursor");
  EXPECT_FALSE(server("x").cwd);
  EXPECT_EQ(server("y").command, "w");
}

TEST_F(ConfigLoad, missing_import_file_is_silent_and_a_bad_one_is_one_warning) {
  user(R"({"imports": ["cursor", "windsurf", "codex"], "mcpServers": {"x": {"command": "c"}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  file("/home/ann/.cursor/mcp.json", "{oops}");
  file("/home/ann/.codex/config.toml", "[mcp_servers\n");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr(".cursor/mcp.json: line 1, column 2"),
                          HasSubstr(".codex/config.toml: line 1, column")));
  EXPECT_THAT(names(), ElementsAre("x"));
}

TEST_F(ConfigLoad, alias_with_a_hyphen_counts_only_without_the_real_key) {
  user(R"({"mcp-servers": {"a": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("a"));
  user(R"({"mcp-servers": {"a": {"command": "c"}}, "mcpServers": {"b": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(ConfigLoad, entry_that_starts_pi_mcp_itself_is_left_out_with_a_note) {
  file(shared_project_file, R"({"mcpServers": {
      "gateway": {"command": "/opt/bin/pi-mcp", "args": ["serve", "--host", "mcp"]},
      "npx": {"command": "npx", "args": ["-y", "pi-mcp@latest", "serve"]},
      "other": {"command": "pi-mcp-tools", "args": ["serve"]}}})");
  EXPECT_THAT(names(), ElementsAre("other"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(load().notes, SizeIs(2));
}

// ---- a configuration that is given ----

TEST_F(ConfigLoad, a_given_configuration_is_all_there_is) {
  user(R"({"mcpServers": {"x": {"command": "users", "args": ["1"]}, "mine": {"command": "m"}},
           "settings": {"toolPrefix": "none", "hostConfigDiscovery": "on"}})");
  shared(R"({"mcpServers": {"shared": {"command": "s"}}})");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"cursors": {"command": "c"}}})");
  file(shared_project_file, R"({"mcpServers": {"teams": {"command": "t"}}})");
  project(R"({"mcpServers": {"x": {"command": "projects"}}, "settings": {"splitTool": true}})");
  EXPECT_FALSE(load().given);
  options_.config_file = "/home/ann/.pi/agent/mcp.json";
  options_.registered = R"({"theirs": {"command": "r"}, "x": {"command": "r", "args": ["2"]}})";
  options_.given = R"({"mcpServers": {"x": {"command": "given", "env": {"A": "${HOME}"}}},
                       "settings": {"idleTimeout": 3}})";
  EXPECT_THAT(names(), ElementsAre("x", "theirs"));
  EXPECT_EQ(server().command, "given");
  EXPECT_THAT(server().args, IsEmpty());
  EXPECT_EQ(server().standing, Standing::user);
  EXPECT_EQ(server().origin.path, given_path);
  const Settings settings = load();
  EXPECT_TRUE(settings.given);
  EXPECT_EQ(settings.tool_prefix, ToolPrefix::server);
  EXPECT_EQ(settings.idle_timeout_minutes, 3);
  EXPECT_FALSE(settings.split_tool);
  EXPECT_THAT(settings.trust_requests, IsEmpty());
  EXPECT_THAT(settings.warnings, IsEmpty());
}

TEST_F(ConfigLoad, what_a_given_configuration_names_elsewhere_is_not_followed) {
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"cursors": {"command": "c"}}})");
  for (const char* names_others : {R"({"imports": ["cursor"]})",
                                   R"({"claudePlugins": ["~/plugin"]})",
                                   R"({"settings": {"agentPluginPaths": ["~/plugin"]}})"}) {
    options_.given = names_others;
    EXPECT_THAT(names(), IsEmpty());
    EXPECT_THAT(warnings(), ElementsAre(HasSubstr("(given): \"imports\", \"claudePlugins\" and")));
  }
  options_.given = R"({"imports": [], "claudePlugins": []})";
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ConfigLoad, what_the_user_chose_for_the_folder_is_not_about_a_given_configuration) {
  user(R"({"mcpServers": {"x": {"command": "users"}}})");
  file("/home/ann/.pi/agent/mcp-trust.json",
       R"({"folders": {"/home/ann/code/app": {"servers": {"x": {"disabled": true}}}}})");
  EXPECT_TRUE(server().disabled);
  options_.given = R"({"mcpServers": {"x": {"command": "given"}}})";
  EXPECT_FALSE(server().disabled);
}

TEST_F(ConfigLoad, what_is_wrong_with_a_given_configuration_is_said) {
  options_.given = R"({"mcpServers": {"a": {"comand": "x"}, "b": 1, "c": {"command": "c"}}})";
  EXPECT_THAT(names(), ElementsAre("a", "c"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("(given): server \"b\" must be an object"),
                          HasSubstr("did you mean \"command\"?")));
}

// ---- registered servers ----

TEST_F(ConfigLoad, registered_servers_are_below_every_file) {
  user(R"({"mcpServers": {"a": {"command": "mine"}, "b": {"directTools": true}}})");
  options_.registered =
      R"({"a": {"command": "theirs"}, "b": {"command": "theirs", "enabled": false}, "c": 1})";
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  EXPECT_EQ(server("a").command, "mine");
  EXPECT_EQ(server("b").command, "theirs");
  EXPECT_TRUE(server("b").disabled);
  EXPECT_TRUE(server("b").direct_tools->all);
  EXPECT_EQ(server("b").origins["command"].import_kind, registered_kind);
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("server \"c\" must be an object")));
}

TEST_F(ConfigLoad, what_is_left_of_a_server_that_another_program_defined_is_no_server) {
  user(R"({"mcpServers": {"gone": {"disabled": false, "directTools": ["x"]}, "empty": {}}})");
  EXPECT_THAT(names(), ElementsAre("empty"));
  EXPECT_THAT(load().notes.front().message,
              HasSubstr("server \"gone\" is no longer defined anywhere and is left out, in /home"));
}

}  // namespace
}  // namespace pi_mcp::config
