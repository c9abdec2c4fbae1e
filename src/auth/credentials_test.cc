#include "auth/credentials.h"

#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

Credentials sample() {
  Credentials credentials;
  credentials.server_url = "https://mcp.example/mcp";
  credentials.issuer = "https://as.example/";
  credentials.resource = "https://mcp.example";
  credentials.token_endpoint = "https://as.example/token";
  credentials.requested_scope = "a b";
  credentials.client.id = "client";
  credentials.client.secret = "secret";
  credentials.client.auth = ClientAuth::post;
  credentials.client.source = ClientSource::registered;
  credentials.client.redirect_uri = "http://127.0.0.1:1/callback";
  credentials.client.expires_at_s = 12;
  credentials.tokens = Tokens{.access = "at",
                              .refresh = "rt",
                              .scope = "a",
                              .stale_at = EpochMs{34},
                              .login_ends_at = EpochMs{56}};
  return credentials;
}

TEST(CredentialsTest, what_is_written_is_read_back) {
  const auto read = parse_credentials(to_json(sample()));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(sample()));
  EXPECT_EQ(read->client.auth, ClientAuth::post);
  EXPECT_EQ(read->tokens->refresh, "rt");
}

TEST(CredentialsTest, the_secret_of_a_configured_client_is_not_written) {
  Credentials credentials = sample();
  credentials.client.source = ClientSource::configured;
  EXPECT_EQ(to_json(credentials).find("secret\":"), std::string::npos);
}

TEST(CredentialsTest, secrets_that_are_in_the_keyring_are_not_in_the_file) {
  Credentials credentials = sample();
  credentials.secrets_in = SecretsIn::keyring;
  const std::string file = to_json(credentials);
  for (const std::string_view secret : {"\"at\"", "\"rt\"", "\"secret\""}) {
    EXPECT_EQ(file.find(secret), std::string::npos) << file;
  }
  auto read = parse_credentials(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->tokens->scope, "a");
  EXPECT_EQ(read->tokens->stale_at, EpochMs{34});
  EXPECT_EQ(read->tokens->login_ends_at, EpochMs{56});
  add_secrets(*read, secrets_json(credentials));
  EXPECT_EQ(to_json(*read), file);
  EXPECT_EQ(secrets_json(*read), secrets_json(credentials));
}

TEST(CredentialsTest, records_of_earlier_versions_have_their_secrets_with_them) {
  std::string file = to_json(sample());
  const std::string_view store = R"("store":"file",)";
  file.erase(file.find(store), store.size());
  const auto read = parse_credentials(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->secrets_in, SecretsIn::file);
  EXPECT_EQ(read->tokens->refresh, "rt");
}

TEST(CredentialsTest, without_its_secrets_a_login_is_a_client_at_most) {
  Credentials confidential = sample();
  forget_secrets(confidential);
  EXPECT_FALSE(confidential.tokens);
  EXPECT_EQ(confidential.client.id, "");
  EXPECT_EQ(confidential.requested_scope, "a b");
  Credentials open = sample();
  open.client.auth = ClientAuth::none;
  forget_secrets(open);
  EXPECT_EQ(open.client.id, "client");
}

TEST(CredentialsTest, another_format_is_refused_without_showing_it) {
  for (const std::string_view text : {"", "[]", "{}", R"({"version":2,"x":"token-in-it"})"}) {
    const auto read = parse_credentials(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message().find("token-in-it"), std::string::npos);
  }
}

TEST(CredentialsTest, the_adapters_token_file_is_understood) {
  const auto tokens = parse_adapter_tokens(
      R"({"access_token":"at","token_type":"bearer","refresh_token":"rt","expiresAt":1234})");
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->access, "at");
  EXPECT_EQ(tokens->stale_at, EpochMs{1234});
  EXPECT_FALSE(parse_adapter_tokens(R"({"token":"x"})"));
  EXPECT_FALSE(parse_adapter_tokens("not json"));
}

TEST(CredentialsTest, scopes_are_sets_in_order) {
  EXPECT_EQ(scope_union("a b", " b  c a "), "a b c");
  EXPECT_EQ(scope_union("", ""), "");
  EXPECT_TRUE(scope_covers("a b c", "c a"));
  EXPECT_TRUE(scope_covers("", ""));
  EXPECT_FALSE(scope_covers("ab", "a"));
}

}  // namespace
}  // namespace pi_mcp::auth
