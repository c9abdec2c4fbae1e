#include "auth/pi_login.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

constexpr std::string_view url = "https://mcp.example/mcp";

TEST(PiLogin, is_for_one_name_and_one_url_and_its_end_is_in_milliseconds) {
  const std::string file =
      R"({"mcp__my_server|https://mcp.example/mcp":{"tokens":{"access_token":"a",)"
      R"("refresh_token":"r","scope":"s","token_type":"Bearer"},"tokensExpireAt":1700000000500,)"
      R"("clientInformation":{"client_id":"c","client_secret":"cs"},"discovery":{)"
      R"("authorizationServerUrl":"https://as.example/","authorizationServerMetadata":)"
      R"({"issuer":"https://as.example"}}}})";
  const auto login = parse_pi_login(file, "my-server", url);
  ASSERT_TRUE(login);
  EXPECT_EQ(login->tokens.access, "a");
  EXPECT_EQ(login->tokens.refresh, "r");
  EXPECT_EQ(login->tokens.scope, "s");
  EXPECT_EQ(login->tokens.stale_at, EpochMs{1'700'000'000'500});
  EXPECT_EQ(login->issuer, "https://as.example");
  EXPECT_EQ(login->client.id, "c");
  EXPECT_EQ(login->client.secret, "cs");
  EXPECT_FALSE(parse_pi_login(file, "my-server", "https://evil.example/mcp"));
  EXPECT_FALSE(parse_pi_login(file, "other", url));
}

TEST(PiLogin, of_an_older_pi_has_the_url_alone_and_a_url_without_a_path_ends_in_a_slash) {
  const std::string file = R"({"https://mcp.example/":{"tokens":{"access_token":"old"}},)"
                           R"("mcp__new|https://mcp.example/":{"tokens":{"access_token":"new"},)"
                           R"("discovery":{"authorizationServerUrl":"https://as.example"}}})";
  const auto old = parse_pi_login(file, "any", "https://mcp.example");
  ASSERT_TRUE(old);
  EXPECT_EQ(old->tokens.access, "old");
  EXPECT_EQ(old->issuer, "");
  const auto fresh = parse_pi_login(file, "new", "https://mcp.example");
  ASSERT_TRUE(fresh);
  EXPECT_EQ(fresh->tokens.access, "new");
  EXPECT_EQ(fresh->issuer, "https://as.example");
}

TEST(PiLogin, is_none_in_what_cannot_be_read_or_has_no_token) {
  for (const char* wrong : {"",
                            "no",
                            "[]",
                            R"({"mcp__s|https://mcp.example/mcp":7})",
                            R"({"mcp__s|https://mcp.example/mcp":{"codeVerifier":"v"}})",
                            R"({"mcp__s|https://mcp.example/mcp":{"tokens":{}}})"}) {
    EXPECT_FALSE(parse_pi_login(wrong, "s", url)) << wrong;
  }
  EXPECT_FALSE(find_pi_login("/no/such/folder", "s", url));
}

}  // namespace
}  // namespace pi_mcp::auth
