#include "auth/handed_login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;

constexpr std::string_view url = "https://mcp.example/mcp";
constexpr EpochMs now{1'700'000'000'000};

std::string why_not(std::string_view text) {
  const Result<HandedLogin> login = parse_handed_login(text, url, now);
  EXPECT_FALSE(login) << text;
  return login ? "" : login.error().message();
}

TEST(HandedLogin, what_one_machine_exports_another_imports_whole) {
  Credentials credentials;
  credentials.server_url = url;
  credentials.issuer = "https://as.example";
  credentials.token_endpoint = "https://as.example/token";
  credentials.client = {.id = "c",
                        .secret = "cs",
                        .auth = ClientAuth::post,
                        .source = ClientSource::registered,
                        .redirect_uri = "http://127.0.0.1:1/callback"};
  credentials.tokens = Tokens{
      .access = "at", .refresh = "rt", .scope = "a", .stale_at = EpochMs{34}, .login_ends_at = {}};
  credentials.secrets_in = SecretsIn::keyring;
  const Result<HandedLogin> login = parse_handed_login(handed_login_text(credentials), url, now);
  ASSERT_TRUE(login);
  const auto* read = std::get_if<Credentials>(&*login);
  ASSERT_NE(read, nullptr);
  credentials.secrets_in = SecretsIn::file;
  EXPECT_EQ(to_json(*read), to_json(credentials));
}

TEST(HandedLogin, an_access_token_alone_is_kept_until_it_ends) {
  const Result<HandedLogin> login = parse_handed_login(
      R"({"access_token":"at","token_type":"Bearer","expires_in":3600,"scope":"a"})", url, now);
  ASSERT_TRUE(login);
  const auto* read = std::get_if<Credentials>(&*login);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->server_url, url);
  ASSERT_TRUE(read->tokens);
  EXPECT_EQ(read->tokens->access, "at");
  EXPECT_EQ(read->tokens->scope, "a");
  ASSERT_TRUE(read->tokens->stale_at);
  EXPECT_GT(read->tokens->stale_at->value, now.value);
}

TEST(HandedLogin, a_refresh_token_is_redeemed_with_its_client_at_its_issuer) {
  for (const char* text :
       {R"({"access_token":"at","refresh_token":"rt","issuer":"https://as.example",)"
        R"("client_id":"c","client_secret":"cs"})",
        R"({"tokens":{"access_token":"at","refresh_token":"rt"},"issuer":"https://as.example",)"
        R"("clientInfo":{"client_id":"c","client_secret":"cs"}})"}) {
    const Result<HandedLogin> login = parse_handed_login(text, url, now);
    ASSERT_TRUE(login) << text;
    const auto* read = std::get_if<ForeignLogin>(&*login);
    ASSERT_NE(read, nullptr) << text;
    EXPECT_EQ(read->tokens.refresh, "rt");
    EXPECT_EQ(read->issuer, "https://as.example");
    EXPECT_EQ(read->client.id, "c");
    EXPECT_EQ(read->client.secret, "cs");
  }
}

TEST(HandedLogin, what_cannot_be_used_is_refused_without_repeating_it) {
  EXPECT_THAT(why_not(""), HasSubstr("not a JSON object"));
  EXPECT_THAT(why_not("s3cret"), HasSubstr("not a JSON object"));
  EXPECT_THAT(why_not("{}"), HasSubstr("access_token"));
  EXPECT_THAT(why_not(R"({"access_token":"s3cret","token_type":"mac"})"), HasSubstr("bearer"));
  EXPECT_THAT(why_not(R"({"access_token":"s3cret","refresh_token":"r"})"), HasSubstr("issuer"));
  EXPECT_THAT(why_not(R"({"version":2})"), HasSubstr("this version"));
  EXPECT_THAT(why_not(R"({"version":1,"serverUrl":"https://mcp.example/mcp"})"),
              HasSubstr("its tokens are not in it"));
  EXPECT_THAT(why_not(R"({"version":1,"serverUrl":"https://s3cret.example/mcp",)"
                      R"("tokens":{"access":"s3cret"}})"),
              testing::AllOf(HasSubstr("another url"), testing::Not(HasSubstr("s3cret"))));
}

}  // namespace
}  // namespace pi_mcp::auth
