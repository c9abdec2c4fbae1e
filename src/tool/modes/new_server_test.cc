// Addresses of mcp({ action: "install" }); commands are tested with `pi-mcp add`.
#include "tool/modes/new_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;

std::string installed(std::string_view url, std::string_view name = "") {
  const Result<NewServer> server = server_at(url, name);
  return server ? server->name + " " + server->entry_json : server.error().message();
}

TEST(ServerAt, is_named_after_its_host) {
  EXPECT_EQ(installed("https://mcp.deepwiki.com/mcp"),
            R"(deepwiki {"url":"https://mcp.deepwiki.com/mcp"})");
  EXPECT_EQ(installed("http://127.0.0.1:8000/mcp"),
            R"(local-mcp {"url":"http://127.0.0.1:8000/mcp"})");
  EXPECT_EQ(installed("https://x.y/mcp", "own"), R"(own {"url":"https://x.y/mcp"})");
  EXPECT_EQ(name_of_host("api.githubcopilot.com"), "githubcopilot");
  EXPECT_EQ(name_of_host("mcp.com"), "mcp");
  EXPECT_EQ(name_of_host("10.0.0.7"), "local-mcp");
  EXPECT_EQ(name_of_host("::1"), "local-mcp");
}

TEST(ServerAt, takes_no_address_that_a_user_would_not_see_through) {
  EXPECT_THAT(installed("http://example.com/mcp"), HasSubstr("https://"));
  EXPECT_THAT(installed("https://me:secret@example.com"), HasSubstr("password"));
  EXPECT_THAT(installed("https://example.com/?k=${HOME}"), HasSubstr("variables"));
  EXPECT_THAT(installed("https://example.com/#x"), HasSubstr("fragment"));
  EXPECT_THAT(installed("npx -y x"), HasSubstr("address"));
  EXPECT_THAT(installed("https://example.com", "a b"), HasSubstr("cannot be the name"));
}

}  // namespace
}  // namespace pi_mcp::tool
