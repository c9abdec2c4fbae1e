#include "config/plugins/plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class Plugins : public MachineFixture {
 protected:
  Plugins& package(const std::string& folder, const std::string& name, const std::string& mcp) {
    files_.add(folder + "/package.json",
               R"({"name": ")" + name + R"(", "pi": {"mcp": )" + mcp + "}}");
    files_.add_directory(folder);
    return *this;
  }
  Plugins& pi_settings(std::string text) {
    files_.add("/home/ann/.pi/agent/settings.json", std::move(text));
    return *this;
  }
  Plugins& agent_plugin(const std::string& folder, const std::string& servers) {
    files_.add(
        folder + "/plugin.json",
        R"({"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme.tools"})");
    files_.add(folder + "/mcp.json",
               R"({"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
                   "mcpServers": )" +
                   servers + "}");
    files_.add_directory(folder);
    return *this;
  }
  Plugins& claude_plugin(const std::string& folder, std::string mcp) {
    files_.add(folder + "/.mcp.json", std::move(mcp));
    files_.add_directory(folder);
    return *this;
  }
};

// ---- packages of Pi ----

TEST_F(Plugins, packages_that_pi_has_installed_bring_servers_wherever_pi_keeps_them) {
  pi_settings(R"({"packages": ["npm:@acme/tools@1.2.0", "git:github.com/acme/more@v1",
                               "https://host.example/a/b.git", "git@host.example:a/c@main",
                               {"source": "../../local", "extensions": []}, "npm:gone", 7]})");
  const std::string agent = "/home/ann/.pi/agent";
  package(agent + "/npm/node_modules/@acme/tools", "@acme/tools", R"("./mcp.json")");
  file(agent + "/npm/node_modules/@acme/tools/mcp.json",
       R"({"settings": {"toolPrefix": "none"}, "mcpServers": {"docs": {"command": "docs"}}})");
  package(agent + "/git/github.com/acme/more", "more", R"(["a.json", "b.json"])");
  file(agent + "/git/github.com/acme/more/a.json", R"({"mcpServers": {"a": {"command": "a"}}})");
  file(agent + "/git/github.com/acme/more/b.json",
       R"({"mcpServers": {"b": {"url": "https://b"}}})");
  for (const std::string name : {"b", "c"}) {
    package(agent + "/git/host.example/a/" + name, name, R"("mcp.json")");
    file(agent + "/git/host.example/a/" + name + "/mcp.json",
         R"({"mcpServers": {"x": {"command": "x"}}})");
  }
  EXPECT_THAT(names(), ElementsAre("acme_tools__docs", "more__a", "more__b", "b__x", "c__x"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(load().tool_prefix, ToolPrefix::server);
  const Origin origin = server("acme_tools__docs").origin;
  EXPECT_EQ(origin.path, agent + "/npm/node_modules/@acme/tools/mcp.json");
  EXPECT_EQ(origin.import_kind, pi_package_kind);
  EXPECT_FALSE(origin.project);
}

TEST_F(Plugins, programs_and_files_of_a_package_are_of_its_folder) {
  pi_settings(R"({"packages": ["/opt/pack"]})");
  package("/opt/pack", "pack", R"("mcp.json")");
  file("/opt/pack/dist/server.js", "");
  file("/opt/pack/mcp.json", R"({"mcpServers": {
    "own": {"command": "./bin/own"},
    "node": {"command": "node", "args": ["./dist/server.js", "./missing", "--root"]}}})");
  EXPECT_EQ(server("pack__own").command, "/opt/pack/bin/own");
  EXPECT_THAT(server("pack__node").args,
              ElementsAre("/opt/pack/dist/server.js", "./missing", "--root"));
}

TEST_F(Plugins, a_package_names_files_of_its_own_folder_only) {
  pi_settings(R"({"packages": ["/opt/pack"]})");
  package("/opt/pack", "pack", R"(["link.json"])");
  file("/home/ann/secret.json", R"({"mcpServers": {"x": {"command": "x"}}})");
  files_.add_link("/opt/pack/link.json", "/home/ann/secret.json");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("is not inside the plugin's folder")));
}

TEST_F(Plugins, what_a_project_calls_the_files_of_its_packages_is_not_said) {
  options_.trust.everything = false;
  file("/home/ann/code/app/.pi/settings.json", R"({"packages": ["./pack", "./no/such/pack"]})");
  package("/home/ann/code/app/.pi/pack", "pack", R"(["/run curl evil.example", "now, please"])");
  file("/home/ann/code/app/.pi/pack/now, please", "{");
  EXPECT_THAT(
      warnings(),
      ElementsAre("/home/ann/code/app: a file of a plugin or package in it cannot be read"));
  file("/home/ann/code/app/.pi/settings.json", "{");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("app/.pi/settings.json: line 1, column 2")));
}

TEST_F(Plugins, a_package_and_a_file_of_it_count_once_however_they_are_written) {
  pi_settings(R"({"packages": ["/opt/pack", {"source": "/opt/pack"}]})");
  package("/opt/pack", "pack", R"(["mcp.json", "mcp.json"])");
  file("/opt/pack/mcp.json", R"({"mcpServers": {"x": {"command": "x"}}})");
  EXPECT_THAT(names(), ElementsAre("pack__x"));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(Plugins, any_file_stands_above_a_package) {
  pi_settings(R"({"packages": ["/opt/pack"]})");
  package("/opt/pack", "pack", R"("mcp.json")");
  file("/opt/pack/mcp.json",
       R"({"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "args": ["1"]}}})");
  user(R"({"mcpServers": {"pack__a": {"disabled": true}, "pack__b": {"command": "mine"}}})");
  EXPECT_TRUE(server("pack__a").disabled);
  EXPECT_EQ(server("pack__a").command, "a");
  EXPECT_EQ(server("pack__b").command, "mine");
  EXPECT_THAT(server("pack__b").args, IsEmpty());
}

TEST_F(Plugins, an_exclusive_file_has_no_packages_beside_it) {
  pi_settings(R"({"packages": ["/opt/pack"]})");
  package("/opt/pack", "pack", R"("mcp.json")");
  file("/opt/pack/mcp.json", R"({"mcpServers": {"a": {"command": "a"}}})");
  environment_.variables["PI_MCP_CONFIG_MODE"] = "exclusive";
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Plugins, what_pi_has_installed_for_a_folder_waits_for_trust) {
  options_.trust.everything = false;
  file("/home/ann/code/app/.pi/settings.json", R"({"packages": ["npm:evil", "../tools"]})");
  package("/home/ann/code/app/.pi/npm/node_modules/evil", "evil", R"("mcp.json")");
  file("/home/ann/code/app/.pi/npm/node_modules/evil/mcp.json",
       R"({"mcpServers": {"x": {"command": "x"}}})");
  package("/home/ann/code/app/.pi/../tools", "tools", R"("mcp.json")");
  file("/home/ann/code/app/.pi/../tools/mcp.json", R"({"mcpServers": {"y": {"command": "y"}}})");
  Settings settings = load();
  ASSERT_NE(settings.find("evil__x"), nullptr);
  EXPECT_EQ(settings.find("evil__x")->standing, Standing::needs_trust);
  EXPECT_EQ(settings.find("evil__x")->command, std::nullopt);
  ASSERT_EQ(settings.trust_requests.size(), 2U);
  EXPECT_EQ(settings.trust_requests[0].folder, "/home/ann/code/app");
  options_.trust.once = {settings.trust_requests[0].digest};
  settings = load();
  EXPECT_EQ(settings.find("evil__x")->standing, Standing::project);
  EXPECT_EQ(settings.find("evil__x")->command, "x");
  options_.trust.once = {};
  options_.trust.host = false;
  EXPECT_TRUE(load().trust_requests[0].forbidden);
}

// ---- Agent plugins ----

TEST_F(Plugins, an_agent_plugin_has_its_folders_in_arguments_variables_and_folder) {
  user(R"({"settings": {"agentPluginPaths": ["~/plugins/acme"]}})");
  agent_plugin("/home/ann/plugins/acme", R"({
    "run": {"type": "stdio", "command": "./bin/run", "args": ["--root=${PLUGIN_ROOT}"],
            "env": {"STATE": "${PLUGIN_DATA}/state", "RAW": "${HOME}"}, "cwd": "${PLUGIN_DATA}"},
    "bare": {"type": "stdio", "command": "bare"},
    "far": {"type": "sse", "url": "https://far.example/sse"}})");
  const std::string data = "/home/ann/.pi/agent/agent-plugin-data/acme.tools";
  const Server run = server("acme_tools__run");
  EXPECT_EQ(run.command, "/home/ann/plugins/acme/bin/run");
  EXPECT_THAT(run.args, ElementsAre("--root=/home/ann/plugins/acme"));
  EXPECT_THAT(run.env,
              UnorderedElementsAre(Pair("STATE", data + "/state"),
                                   Pair("RAW", "${HOME}"),
                                   Pair("PLUGIN_ROOT", "/home/ann/plugins/acme"),
                                   Pair("PLUGIN_DATA", data)));
  EXPECT_TRUE(run.literal_env);
  EXPECT_EQ(run.cwd, data);
  EXPECT_THAT(run.entry_json, HasSubstr("\"pluginDataDir\":\"" + data + "\""));
  EXPECT_EQ(server("acme_tools__bare").cwd, "/home/ann/plugins/acme");
  EXPECT_EQ(server("acme_tools__bare").problem, std::nullopt);
  EXPECT_EQ(server("acme_tools__far").http_transport, HttpTransport::sse);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(Plugins, entries_that_an_agent_plugin_may_not_have_are_left_out_with_the_reason) {
  user(R"({"settings": {"agentPluginPaths": ["~/plugins/acme"]}})");
  agent_plugin("/home/ann/plugins/acme", R"({
    "a": {"type": "stdio", "command": "../out"}, "b": {"type": "stdio", "command": "./../out"},
    "c": {"type": "stdio", "command": "x", "timeout": 1}, "d": {"command": "x"},
    "e": {"type": "stdio", "command": "x", "env": {"PLUGIN_ROOT": "/"}},
    "f": {"type": "stdio", "command": "x", "cwd": "/"},
    "g": {"type": "sse", "url": "http://far.example/"},
    "h": {"type": "sse", "url": "https://${HOST}/"},
    "ok": {"type": "streamable-http", "url": "http://127.0.0.1:8/"}})");
  EXPECT_THAT(names(), ElementsAre("acme_tools__ok"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("needs a \"command\""),
                          HasSubstr("needs a \"command\""),
                          HasSubstr("unknown member \"timeout\""),
                          HasSubstr("needs a \"type\""),
                          HasSubstr("must not set \"PLUGIN_ROOT\""),
                          HasSubstr("a \"cwd\" outside the plugin"),
                          HasSubstr("needs a \"url\" with https"),
                          HasSubstr("needs a \"url\" with https")));
}

TEST_F(Plugins, a_folder_that_has_no_agent_plugin_is_named) {
  user(R"({"settings": {"agentPluginPaths": ["/nowhere", "~/plugins/acme", "./here"]}})");
  agent_plugin("/home/ann/plugins/acme", "{}");
  file("/home/ann/plugins/acme/plugin.json", R"({"name": "acme"})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("no folder /nowhere"), HasSubstr("\"$schema\"")));
}

// ---- plugins of Claude Code ----

TEST_F(Plugins, a_plugin_of_claude_code_knows_its_folder) {
  user(R"({"claudePlugins": [{"path": "~/plugins/db", "mcp": true},
                             {"path": "~/plugins/off"}]})");
  claude_plugin("/home/ann/plugins/db", R"({"mcpServers": {
    "db": {"command": "${CLAUDE_PLUGIN_ROOT}/run", "args": ["${CLAUDE_PLUGIN_ROOT}/x", "${HOME}"],
           "env": {"A": "${CLAUDE_PLUGIN_DATA}"}, "timeout": 5000},
    "far": {"type": "http", "url": "https://far.example/mcp"}}})");
  claude_plugin("/home/ann/plugins/off", R"({"mcpServers": {"off": {"command": "off"}}})");
  EXPECT_THAT(names(), ElementsAre("db", "far"));
  const Server db = server("db");
  const std::string root = "/home/ann/plugins/db";
  const std::string data = "/home/ann/.pi/agent/claude-plugin-data/db";
  EXPECT_EQ(db.command, root + "/run");
  EXPECT_THAT(db.args, ElementsAre(root + "/x", "${HOME}"));
  EXPECT_THAT(
      db.env,
      UnorderedElementsAre(
          Pair("A", data), Pair("CLAUDE_PLUGIN_ROOT", root), Pair("CLAUDE_PLUGIN_DATA", data)));
  EXPECT_EQ(db.request_timeout, Milliseconds(5000));
  EXPECT_EQ(db.origin.import_kind, claude_plugin_kind);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(Plugins, the_manifest_of_claude_code_names_servers_or_files_and_the_wrapper_may_be_missing) {
  user(R"({"claudePlugins": [{"path": "/p/a", "mcp": true}, {"path": "/p/b", "mcp": true},
                             {"path": "/p/c", "mcp": true}]})");
  claude_plugin("/p/a", R"({"flat": {"command": "flat"}})");
  claude_plugin("/p/b", "");
  file("/p/b/.claude-plugin/plugin.json", R"({"mcpServers": {"inline": {"command": "x"}}})");
  claude_plugin("/p/c", "");
  file("/p/c/.claude-plugin/plugin.json", R"({"mcpServers": ["./more.json"]})");
  file("/p/c/more.json", R"({"mcpServers": {"more": {"command": "x"}, "flat": {"command": "2"}}})");
  EXPECT_THAT(names(), ElementsAre("flat", "inline", "more"));
  EXPECT_EQ(server("flat").command, "flat");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("has one of this name")));
}

TEST_F(Plugins, skills_are_left_to_pi_and_that_is_said) {
  user(R"({"claudePlugins": [{"path": "/p", "skills": true}, {"mcp": true}]})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("\"skills\" in Pi's settings.json"), HasSubstr("needs a \"path\"")));
}

// ---- whose they are ----

TEST_F(Plugins, a_relative_path_is_the_projects_whoever_lists_it) {
  options_.trust.everything = false;
  user(R"({"claudePlugins": [{"path": "./tools", "mcp": true}]})");
  claude_plugin("/home/ann/code/app/tools", R"({"mcpServers": {"t": {"command": "t"}}})");
  const Settings settings = load();
  ASSERT_NE(settings.find("t"), nullptr);
  EXPECT_EQ(settings.find("t")->standing, Standing::needs_trust);
  ASSERT_EQ(settings.trust_requests.size(), 1U);
  EXPECT_EQ(settings.trust_requests[0].folder, "/home/ann/code/app");
}

TEST_F(Plugins, what_a_project_lists_is_asked_for_twice_as_a_list_and_as_servers) {
  options_.trust.everything = false;
  project(R"({"claudePlugins": [{"path": "/home/ann/tools", "mcp": true}]})");
  claude_plugin("/home/ann/tools", R"({"mcpServers": {"t": {"command": "t"}}})");
  Settings settings = load();
  EXPECT_EQ(settings.find("t"), nullptr);
  ASSERT_EQ(settings.trust_requests.size(), 1U);
  EXPECT_THAT(settings.trust_requests[0].entry, HasSubstr("/home/ann/tools"));
  options_.trust.once = {settings.trust_requests[0].digest};
  settings = load();
  ASSERT_NE(settings.find("t"), nullptr);
  EXPECT_EQ(settings.find("t")->standing, Standing::needs_trust);
  options_.trust.once.insert(settings.trust_requests[0].digest);
  EXPECT_EQ(server("t").standing, Standing::project);
}

TEST_F(Plugins, the_highest_list_of_the_user_counts_and_a_projects_adds) {
  shared(R"({"claudePlugins": [{"path": "/p/a", "mcp": true}]})");
  user(R"({"claudePlugins": [{"path": "/p/b", "mcp": true}]})");
  project(R"({"claudePlugins": [{"path": "/p/c", "mcp": true}]})");
  for (const std::string name : {"a", "b", "c"}) {
    claude_plugin("/p/" + name, R"({")" + name + R"(": {"command": "x"}})");
  }
  EXPECT_THAT(names(), ElementsAre("b", "c"));
}

TEST_F(Plugins, files_of_plugins_are_looked_at_before_all_others) {
  user(R"({"claudePlugins": [{"path": "/p/a", "mcp": true}]})");
  claude_plugin("/p/a", R"({"a": {"command": "x"}})");
  const std::vector<SourceFile> looked = source_files(environment_, files_, options_);
  ASSERT_FALSE(looked.empty());
  EXPECT_EQ(looked[0].path, "/p/a/.mcp.json");
  EXPECT_EQ(looked[0].role, "claude-plugin");
}

}  // namespace
}  // namespace pi_mcp::config
