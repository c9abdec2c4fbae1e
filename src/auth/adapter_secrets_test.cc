#include "auth/adapter_secrets.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

constexpr std::string_view url = "https://mcp.example/mcp";

TEST(AdapterSecrets, a_bearer_token_is_for_one_url) {
  const std::string entry = R"({"token":"t","serverUrl":"https://mcp.example/mcp"})";
  EXPECT_EQ(parse_adapter_bearer(entry, url), "t");
  EXPECT_EQ(parse_adapter_bearer(entry, "https://mcp.example/other"), std::nullopt);
  for (const char* wrong : {"",
                            "t",
                            "{}",
                            R"({"token":"t"})",
                            R"({"token":"","serverUrl":"https://mcp.example/mcp"})"}) {
    EXPECT_EQ(parse_adapter_bearer(wrong, url), std::nullopt) << wrong;
  }
}

TEST(AdapterSecrets, a_login_is_for_one_url_and_its_end_is_in_seconds) {
  const std::string entry =
      R"({"tokens":{"accessToken":"a","refreshToken":"r","expiresAt":1700000000.5,"scope":"s",)"
      R"("issuer":"https://as.example"},"clientInfo":{"clientId":"c","clientSecret":"cs"},)"
      R"("serverUrl":"https://mcp.example/mcp"})";
  const auto login = parse_adapter_login(entry, url);
  ASSERT_TRUE(login);
  EXPECT_EQ(login->tokens.access, "a");
  EXPECT_EQ(login->tokens.refresh, "r");
  EXPECT_EQ(login->tokens.scope, "s");
  EXPECT_EQ(login->tokens.stale_at, EpochMs{1'700'000'000'500});
  EXPECT_EQ(login->issuer, "https://as.example");
  EXPECT_EQ(login->client.id, "c");
  EXPECT_EQ(login->client.secret, "cs");
  EXPECT_FALSE(parse_adapter_login(entry, "https://evil.example/mcp"));
  EXPECT_FALSE(parse_adapter_login(R"({"serverUrl":"https://mcp.example/mcp"})", url));
  EXPECT_FALSE(parse_adapter_login("no", url));
}

}  // namespace
}  // namespace pi_mcp::auth
