#include "access/narrow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

config::Settings three_servers() {
  config::Settings settings;
  for (const char* name : {"github", "jira", "files"}) {
    settings.servers.emplace_back().name = name;
    settings.warnings.push_back({.path = "p", .message = "m", .server = name});
    settings.notes.push_back({.path = "p", .message = "m", .server = name});
    settings.trust_requests.emplace_back().server = name;
  }
  settings.servers.front().include_tools = {"get_*"};
  settings.warnings.push_back({.path = "p", .message = "server \"jira\" is written twice"});
  settings.notes.push_back({.path = "p", .message = "jira is left out"});
  settings.trust_requests.emplace_back();
  return settings;
}

Principal with(std::vector<std::string> servers, std::vector<std::string> tools) {
  return {.name = "ci",
          .id = "1",
          .servers = std::move(servers),
          .tools = std::move(tools),
          .expires = {}};
}

std::vector<std::string> names(const config::Settings& settings) {
  std::vector<std::string> names;
  for (const config::Server& server : settings.servers) {
    names.push_back(server.name);
  }
  return names;
}

Principal with_grants(std::vector<Grant> grants) {
  Principal principal = with({}, {});
  principal.grants = std::move(grants);
  return principal;
}

TEST(Narrow, scopes_give_their_tools_of_their_servers_alone) {
  const Principal ada = with_grants({{.servers = {"github"}, .tools = {"get_*"}},
                                     {.servers = {"github", "jira"}, .tools = {"list_*"}}});
  const config::Settings seen = narrow(three_servers(), ada);
  EXPECT_THAT(names(seen), ElementsAre("github", "jira"));
  EXPECT_THAT(seen.servers[0].only_tools, ElementsAre("get_*", "list_*"));
  EXPECT_THAT(seen.servers[1].only_tools, ElementsAre("list_*"));
  EXPECT_THAT(seen.warnings, SizeIs(2));
  EXPECT_THAT(seen.trust_requests, SizeIs(2));
  EXPECT_TRUE(may_use(ada, "jira"));
  EXPECT_FALSE(may_use(ada, "files"));
}

TEST(Narrow, a_scope_without_limits_gives_all_and_takes_nothing_from_others) {
  const Principal ada =
      with_grants({{.servers = {"jira"}, .tools = {}}, {.servers = {}, .tools = {"get_*"}}});
  const config::Settings seen = narrow(three_servers(), ada);
  EXPECT_THAT(names(seen), ElementsAre("github", "jira", "files"));
  EXPECT_THAT(seen.servers[0].only_tools, ElementsAre("get_*"));
  EXPECT_THAT(seen.servers[1].only_tools, IsEmpty());
  EXPECT_TRUE(may_use(ada, "files"));
}

TEST(Narrow, without_limits_everything_is_as_it_was) {
  const config::Settings all = narrow(three_servers(), Principal());
  EXPECT_THAT(names(all), ElementsAre("github", "jira", "files"));
  EXPECT_THAT(all.warnings, SizeIs(4));
  EXPECT_THAT(all.notes, SizeIs(4));
  EXPECT_THAT(all.trust_requests, SizeIs(4));
  EXPECT_THAT(all.servers.front().only_tools, IsEmpty());
  EXPECT_EQ(all.principal, "") << "the user";
}

TEST(Narrow, a_configuration_says_whose_it_is) {
  const config::Settings settings = narrow(three_servers(), with({}, {}));
  EXPECT_EQ(settings.principal, "1");
  EXPECT_EQ(settings.principal_name, "ci");
}

TEST(Narrow, of_a_server_that_may_not_be_used_nothing_is_left) {
  const config::Settings some = narrow(three_servers(), with({"files", "github", "gone"}, {}));
  EXPECT_THAT(names(some), ElementsAre("github", "files"));
  EXPECT_EQ(some.find("jira"), nullptr);
  for (const auto& said : {some.warnings, some.notes}) {
    ASSERT_THAT(said, SizeIs(2));
    EXPECT_EQ(said[0].server, "github");
    EXPECT_EQ(said[1].server, "files");
  }
  EXPECT_THAT(some.trust_requests, SizeIs(2));
}

TEST(Narrow, who_reads_metrics_has_no_server) {
  Principal reader = with({}, {});
  reader.metrics_alone = true;
  const config::Settings none = narrow(three_servers(), reader);
  EXPECT_THAT(none.servers, IsEmpty());
  EXPECT_THAT(none.warnings, IsEmpty());
  EXPECT_FALSE(may_use(reader, "github"));
}

TEST(Narrow, tools_are_those_of_the_token_and_of_the_entry) {
  const config::Settings some = narrow(three_servers(), with({}, {"get_*", "list_*"}));
  EXPECT_THAT(names(some), ElementsAre("github", "jira", "files"));
  for (const config::Server& server : some.servers) {
    EXPECT_THAT(server.only_tools, ElementsAre("get_*", "list_*"));
  }
  EXPECT_THAT(some.servers.front().include_tools, ElementsAre("get_*")) << "stays";
}

TEST(Narrow, servers_that_are_not_configured_are_named) {
  EXPECT_THAT(unknown_servers(three_servers(), {"jira", "x", "github", "y"}),
              ElementsAre("x", "y"));
  EXPECT_THAT(unknown_servers(three_servers(), {}), IsEmpty());
}

}  // namespace
}  // namespace pi_mcp::access
