#include "servers/share/scope.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::servers {
namespace {

using config::Share;

config::Server server_of(std::string command, std::vector<std::string> args = {}) {
  config::Server server;
  server.command = std::move(command);
  server.args = std::move(args);
  return server;
}

Share share_of(const config::Server& server, const SeenOfServer& seen = {}) {
  return scope_of(server, seen).share;
}

std::vector<mcp::Tool> tools(const std::vector<std::string>& names) {
  std::vector<mcp::Tool> made;
  for (const std::string& name : names) {
    made.emplace_back().name = name;
  }
  return made;
}

TEST(KnownServers, are_named_once_and_have_a_reason) {
  std::set<std::string> seen;
  for (const KnownServer& row : known_servers()) {
    EXPECT_FALSE(row.why.empty()) << row.names;
    EXPECT_TRUE(row.reads.empty() || row.share == Share::user) << row.names;
    for (const std::string_view name : text::words(row.names)) {
      EXPECT_TRUE(seen.insert(std::string(name)).second) << name;
    }
  }
}

TEST(KnownServers, are_found_however_they_are_started) {
  for (const config::Server& server :
       {server_of("npx", {"-y", "@playwright/mcp@latest", "--headless"}),
        server_of("npx", {"@playwright/mcp"}),
        server_of("/usr/bin/npm", {"exec", "--yes", "--", "@playwright/mcp"}),
        server_of("bunx", {"@playwright/mcp"}),
        server_of("pnpm", {"dlx", "@playwright/mcp"}),
        server_of("node", {"/opt/x/node_modules/@playwright/mcp/cli.js"}),
        server_of("docker", {"run", "-i", "--rm", "--init", "mcr.microsoft.com/playwright/mcp:v1"}),
        server_of("uvx", {"--from", "git+https://github.com/oraios/serena", "serena"}),
        server_of("uvx", {"serena-agent@latest"}),
        server_of("serena", {"start-mcp-server"}),
        server_of("python3", {"-m", "mcp_server_sqlite", "--db-path", "x"}),
        server_of("/home/ann/.local/bin/chrome-devtools-mcp")}) {
    EXPECT_EQ(share_of(server), Share::session) << *server.command;
  }
  EXPECT_EQ(share_of(server_of("uvx", {"mcp-server-fetch==1.2"})), Share::user);
  EXPECT_EQ(share_of(server_of("npx", {"-y", "@modelcontextprotocol/server-filesystem", "."})),
            Share::folder);
  EXPECT_EQ(share_of(server_of("docker", {"run", "-i", "--rm", "unknown/image"})), Share::folder);
}

TEST(KnownServers, say_what_they_read) {
  const KnownServer* const known = find_known(server_of("npx", {"tavily-mcp"}));
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(known->does_read("TAVILY_API_KEY"));
  EXPECT_FALSE(known->does_read("GITHUB_TOKEN"));
}

TEST(StateTools, have_a_word_that_changes_what_later_calls_are_about) {
  for (const char* name : {"activate_project",
                           "selectTab",
                           "set-context",
                           "db.use",
                           "HTTPConnect",
                           "browser_login",
                           "cd",
                           "newSession",
                           "start_debugging"}) {
    EXPECT_EQ(state_tool(tools({name})), name);
  }
  EXPECT_EQ(state_tool(tools({"echo", "settings_get", "user_list", "reset", "browse", "abandon"})),
            "");
  std::vector<mcp::Tool> reads = tools({"open_nodes", "echo"});
  reads[0].annotations = SharedText(std::string(R"({"readOnlyHint":true})"));
  EXPECT_EQ(state_tool(reads), "");
}

TEST(Scope, what_the_user_says_wins_over_all_that_is_known) {
  config::Server server = server_of("npx", {"@playwright/mcp"});
  server.share = Share::user;
  EXPECT_EQ(share_of(server, {.has_state_tool = true, .has_asked = true}), Share::user);
  EXPECT_EQ(scope_of(server, {}).reason, ScopeReason::configured);
}

TEST(Scope, what_was_seen_of_a_server_counts_unless_a_table_knows_it_better) {
  const config::Server unknown = server_of("some-mcp");
  EXPECT_EQ(share_of(unknown, {.has_state_tool = true}), Share::session);
  EXPECT_EQ(share_of(unknown, {.has_asked = true}), Share::session);
  EXPECT_EQ(share_of(unknown, {.asks_roots = true}), Share::folder);
  const config::Server memory = server_of("npx", {"@modelcontextprotocol/server-memory"});
  EXPECT_EQ(share_of(memory, {.has_state_tool = true}), Share::folder);
  EXPECT_EQ(share_of(memory, {.has_asked = true}), Share::session);
  EXPECT_EQ(share_of(unknown, {.has_state_tool = true, .keeps_no_state = true}), Share::folder);
}

TEST(Scope, what_was_seen_is_kept_as_words) {
  const SeenOfServer seen{.has_asked = true, .asks_roots = true};
  EXPECT_EQ(seen_text(seen), "asked roots");
  EXPECT_EQ(read_seen("asked roots"), seen);
  EXPECT_EQ(read_seen("somebody else's"), SeenOfServer{});
  EXPECT_EQ(seen_text(read_seen("asked roots state stateless")), "asked roots state stateless");
}

}  // namespace
}  // namespace pi_mcp::servers
