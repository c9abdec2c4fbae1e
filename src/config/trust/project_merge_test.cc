// A project that the user trusts may add and tighten, and loosens nothing.
#include "config/trust/project_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The project's files are trusted.
class ProjectMerge : public MachineFixture {};

TEST_F(ProjectMerge, restrictions_of_the_user_cannot_be_taken_back) {
  user(R"({"mcpServers": {"x": {"command": "x", "disabled": true, "approveTools": true,
      "excludeTools": ["delete_*"], "exposeResources": false}}})");
  project(R"({"mcpServers": {"x": {"disabled": false, "approveTools": false, "excludeTools": [],
      "exposeResources": true}}})");
  const Server x = server();
  EXPECT_TRUE(x.disabled);
  EXPECT_TRUE(x.approve_tools->all);
  EXPECT_THAT(x.exclude_tools, ElementsAre("delete_*"));
  EXPECT_FALSE(x.expose_resources);
  EXPECT_EQ(x.standing, Standing::user);
}

TEST_F(ProjectMerge, a_project_hides_tools_of_the_user_and_shows_none) {
  user(R"({"mcpServers": {"x": {"command": "x", "exposure": "codemode",
      "toolExposure": {"a": "hidden", "b": "direct"}}}})");
  project(R"({"mcpServers": {"x": {"exposure": "direct",
      "toolExposure": {"a": "direct", "c": "hidden"}}}})");
  EXPECT_EQ(server().exposure, Exposure::codemode);
  EXPECT_THAT(server().tool_exposure,
              ElementsAre(testing::Pair("c", Exposure::hidden),
                          testing::Pair("a", Exposure::hidden),
                          testing::Pair("b", Exposure::direct)));
  project(R"({"mcpServers": {"x": {"exposure": "hidden"}}})");
  EXPECT_EQ(server().exposure, Exposure::hidden);
}

TEST_F(ProjectMerge, a_project_shares_servers_with_fewer_sessions_and_never_with_more) {
  const auto share = [this](const std::string& users, const std::string& projects) {
    user(R"({"mcpServers": {"x": {"command": "x")" + users + "}}}");
    project(R"({"mcpServers": {"x": {"share": )" + projects + "}}}");
    return server().share;
  };
  EXPECT_EQ(share(R"(, "share": "user")", R"("folder")"), Share::folder);
  EXPECT_EQ(share(R"(, "share": "folder")", "false"), Share::session);
  EXPECT_EQ(share(R"(, "share": "folder")", R"("user")"), Share::folder);
  EXPECT_EQ(share(R"(, "share": false)", R"("user")"), Share::session);
  EXPECT_EQ(share("", R"("session")"), Share::session);
  EXPECT_EQ(share("", R"("folder")"), std::nullopt);  // it may be one that keeps a state
  EXPECT_EQ(share("", R"("user")"), std::nullopt);
}

TEST_F(ProjectMerge, null_takes_nothing_of_the_user_away) {
  user(R"({"mcpServers": {"x": {"command": "x", "disabled": true, "excludeTools": ["a"]}},
      "settings": {"approveTools": true, "sampling": false}})");
  project(R"({"mcpServers": {"x": {"disabled": null, "excludeTools": null, "command": null}},
      "settings": {"approveTools": null, "sampling": null}})");
  EXPECT_TRUE(server().disabled);
  EXPECT_EQ(server().command, "x");
  EXPECT_THAT(server().exclude_tools, ElementsAre("a"));
  EXPECT_TRUE(load().approve_tools->all);
  EXPECT_FALSE(load().sampling);
}

TEST_F(ProjectMerge, more_restrictions_add_up) {
  user(R"({"mcpServers": {"x": {"command": "x", "excludeTools": ["a"], "approveTools": ["b"]}},
      "settings": {"approveTools": "destructive"}})");
  project(R"({"mcpServers": {"x": {"excludeTools": ["c"], "approveTools": ["d"],
      "includeTools": ["e"]}}, "settings": {"approveTools": ["f"], "sampling": false,
      "elicitation": false}})");
  EXPECT_THAT(server().exclude_tools, ElementsAre("a", "c"));
  EXPECT_THAT(server().approve_tools->names, ElementsAre("b", "d"));
  EXPECT_THAT(server().include_tools, ElementsAre("e"));
  EXPECT_THAT(load().approve_tools->names, UnorderedElementsAre("destructive", "f"));
  EXPECT_FALSE(load().sampling);
  EXPECT_FALSE(load().elicitation);
}

TEST_F(ProjectMerge, a_list_that_the_user_has_chosen_is_not_replaced_by_another) {
  user(R"({"mcpServers": {"x": {"command": "x", "includeTools": ["read_*"]}}})");
  project(R"({"mcpServers": {"x": {"includeTools": ["*"]}}})");
  EXPECT_THAT(server().include_tools, ElementsAre("read_*"));
}

TEST_F(ProjectMerge, limits_only_get_lower) {
  user(R"({"settings": {"outputGuard": {"maxBytes": 1000, "maxLines": 50}}})");
  project(R"({"settings": {"outputGuard": {"maxBytes": 5000, "maxLines": 20}}})");
  EXPECT_EQ(load().output_guard.bytes_max, 1000U);
  EXPECT_EQ(load().output_guard.lines_max, 20U);
  project(R"({"settings": {"outputGuard": false}})");
  EXPECT_TRUE(load().output_guard.enabled);
}

TEST_F(ProjectMerge, settings_that_are_the_users_are_ignored_with_a_word) {
  project(R"({"settings": {"toolPrefix": "none", "autoAuth": true, "ancestorConfigRoots": ["~/x"],
      "oauthCredentialStore": "file", "directTools": true}})");
  const Settings settings = load();
  EXPECT_EQ(settings.tool_prefix, ToolPrefix::server);
  EXPECT_FALSE(settings.auto_auth);
  EXPECT_EQ(settings.credential_store, CredentialStore::automatic);
  EXPECT_FALSE(settings.direct_tools);
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("\"toolPrefix\" counts only in files of the user"),
                          HasSubstr("\"autoAuth\" can only be restricted by a project"),
                          HasSubstr("\"ancestorConfigRoots\" counts only"),
                          HasSubstr("\"oauthCredentialStore\" counts only"),
                          HasSubstr("\"directTools\" counts only")));
}

TEST_F(ProjectMerge, another_program_inherits_nothing) {
  user(R"({"mcpServers": {"x": {"command": "good", "args": ["a"], "env": {"TOKEN": "secret"},
      "cwd": "/data", "excludeTools": ["d"], "disabled": true}}})");
  for (const char* over : {R"({"command": "./evil"})", R"({"args": ["b"]})"}) {
    project(std::string(R"({"mcpServers": {"x": )") + over + "}}");
    const Server x = server();
    EXPECT_THAT(x.env, IsEmpty()) << over;
    EXPECT_EQ(x.cwd, std::nullopt) << over;
    EXPECT_THAT(x.exclude_tools, ElementsAre("d")) << over;
    EXPECT_TRUE(x.disabled) << over;
    EXPECT_EQ(x.standing, Standing::project) << over;
    EXPECT_TRUE(x.replaces_users) << over;
  }
}

TEST_F(ProjectMerge, variables_alone_do_not_reach_a_server_of_the_user) {
  user(R"({"mcpServers": {"x": {"command": "python3", "env": {"TOKEN": "secret"}}}})");
  project(R"({"mcpServers": {"x": {"env": {"PYTHONPATH": "./evil"}, "cwd": "evil"}}})");
  EXPECT_EQ(server().env, (std::map<std::string, std::string>{{"TOKEN", "secret"}}));
  EXPECT_EQ(server().cwd, std::nullopt);
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("\"env\" of server \"x\" does not count"),
                          HasSubstr("\"cwd\" of server \"x\" does not count")));
}

TEST_F(ProjectMerge, the_same_program_with_its_own_variables_is_the_projects_own) {
  user(R"({"mcpServers": {"x": {"command": "c", "args": ["a"], "env": {"TOKEN": "secret"}}}})");
  project(R"({"mcpServers": {"x": {"command": "c", "args": ["a"], "env": {"DB": "1"}}}})");
  EXPECT_EQ(server().env, (std::map<std::string, std::string>{{"DB", "1"}}));
  EXPECT_EQ(server().standing, Standing::project);
}

TEST_F(ProjectMerge, the_same_entry_stays_the_users) {
  const std::string same = R"({"mcpServers": {"x": {"command": "c", "args": ["a"]}}})";
  user(same);
  project(R"({"mcpServers": {"x": {"args": [ "a" ], "command": "c"}}})");
  EXPECT_EQ(server().standing, Standing::user);
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ProjectMerge, another_address_gets_no_credential_of_the_user) {
  user(R"({"mcpServers": {"x": {"url": "https://good", "headers": {"A": "s"}, "bearerToken": "t",
      "bearerTokenEnv": "E", "caFile": "/ca", "oauth": {"clientSecret": "s"},
      "requestHeadersCommand": {"command": "sign"}}}})");
  project(R"({"mcpServers": {"x": {"url": "https://evil"}}})");
  const Server x = server();
  EXPECT_EQ(x.url, "https://evil");
  EXPECT_THAT(x.headers, IsEmpty());
  EXPECT_FALSE(x.bearer_token);
  EXPECT_FALSE(x.bearer_token_env);
  EXPECT_FALSE(x.ca_file);
  EXPECT_FALSE(x.oauth);
  EXPECT_FALSE(x.request_headers_command);
}

TEST_F(ProjectMerge, how_the_users_login_goes_is_not_the_projects_business) {
  user(R"({"mcpServers": {"x": {"url": "https://good"}}})");
  project(R"({"mcpServers": {"x": {"oauth": {"authServerMetadataUrl": "https://evil/as"},
      "requestHeadersCommand": {"command": "./see"}, "caFile": "./ca.pem",
      "headers": {"X": "y"}}}})");
  EXPECT_FALSE(server().oauth);
  EXPECT_FALSE(server().request_headers_command);
  EXPECT_FALSE(server().ca_file);
  EXPECT_THAT(server().headers, IsEmpty());
}

TEST_F(ProjectMerge, a_servers_own_approvals_add_to_the_users_for_all) {
  user(R"({"settings": {"approveTools": ["delete_*"]}})");
  project(R"({"mcpServers": {"p": {"command": "p", "approveTools": ["x"]},
      "q": {"command": "q", "approveTools": false}}})");
  EXPECT_THAT(server("p").approve_tools->names, ElementsAre("x", "delete_*"));
  EXPECT_FALSE(server("q").approve_tools) << "so that the user's settings count";
}

TEST_F(ProjectMerge, the_users_choices_about_a_server_of_the_project_hold) {
  user(R"({"mcpServers": {"p": {"directTools": ["a"], "disabled": true, "env": {"T": "s"}}}})");
  project(R"({"mcpServers": {"p": {"command": "p"}}})");
  EXPECT_TRUE(server("p").disabled);
  EXPECT_THAT(server("p").direct_tools->names, ElementsAre("a"));
  EXPECT_THAT(server("p").env, IsEmpty());
  EXPECT_EQ(server("p").standing, Standing::project);
  EXPECT_FALSE(server("p").replaces_users);
}

}  // namespace
}  // namespace pi_mcp::config
