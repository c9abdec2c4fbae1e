#include "replicas/sealed_login.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::replicas {
namespace {

access::SessionKeys keys_of(const std::string& lines) {
  return *access::SessionKeys::parse(lines, "keys");
}

std::string key_line(char digit) {
  return std::string(64, digit) + "\n";
}

const auth::LoginName name{.principal = "p", .server = "far", .url = "https://far.example/mcp"};

auth::Credentials sample(std::string token = "planted-access") {
  auth::Credentials credentials;
  credentials.server_url = name.url;
  credentials.issuer = "https://as.example";
  credentials.made_at = EpochMs{7};
  credentials.turn = 3;
  credentials.secrets_in = auth::SecretsIn::keyring;
  credentials.tokens = auth::Tokens{.access = std::move(token),
                                    .refresh = "planted-refresh",
                                    .scope = "a",
                                    .stale_at = {},
                                    .login_ends_at = {}};
  return credentials;
}

TEST(SealedLogin, is_opened_with_all_its_secrets_and_shows_none) {
  const access::SessionKeys keys = keys_of(key_line('a'));
  const std::string sealed = sealed_login(keys, name, sample());
  EXPECT_THAT(sealed, testing::Not(testing::HasSubstr("planted")));
  const std::optional<auth::Credentials> opened = opened_login(keys, name, sealed);
  ASSERT_TRUE(opened && opened->tokens);
  EXPECT_EQ(opened->tokens->access, "planted-access");
  EXPECT_EQ(opened->tokens->refresh, "planted-refresh");
  EXPECT_EQ(opened->made_at.value, 7);
  EXPECT_EQ(opened->turn, 3);
}

TEST(SealedLogin, is_for_one_principal_server_and_url) {
  const access::SessionKeys keys = keys_of(key_line('a'));
  const std::string sealed = sealed_login(keys, name, sample());
  for (const auth::LoginName& other :
       {auth::LoginName{.principal = "q", .server = name.server, .url = name.url},
        auth::LoginName{.principal = "", .server = name.server, .url = name.url},
        auth::LoginName{.principal = name.principal, .server = "near", .url = name.url},
        auth::LoginName{.principal = name.principal, .server = name.server, .url = "https://x"}}) {
    EXPECT_FALSE(opened_login(keys, other, sealed));
    EXPECT_NE(login_id(other), login_id(name));
  }
  const auth::LoginName moved{
      .principal = name.principal, .server = name.server, .url = "https://far.example/other"};
  EXPECT_FALSE(opened_login(keys, moved, sealed_login(keys, moved, sample())))
      << "what is in it says another url";
}

TEST(SealedLogin, nothing_else_is_opened) {
  const access::SessionKeys keys = keys_of(key_line('a'));
  const std::string sealed = sealed_login(keys, name, sample());
  std::string changed = sealed;
  changed[sealed.size() / 2] = changed[sealed.size() / 2] == 'A' ? 'B' : 'A';
  for (const std::string& wrong : {std::string(),
                                   std::string("{}"),
                                   changed,
                                   sealed + "A",
                                   sealed.substr(0, sealed.size() / 2),
                                   keys.seal("owner 1", "text"),
                                   sealed_login(keys_of(key_line('b')), name, sample())}) {
    EXPECT_FALSE(opened_login(keys, name, wrong)) << wrong;
  }
}

TEST(SealedLogin, old_keys_open_and_the_first_one_seals) {
  const std::string sealed = sealed_login(keys_of(key_line('a')), name, sample());
  const access::SessionKeys rotated = keys_of(key_line('b') + key_line('a'));
  EXPECT_TRUE(opened_login(rotated, name, sealed));
  EXPECT_FALSE(rotated.is_by_first(sealed));
  EXPECT_TRUE(rotated.is_by_first(sealed_login(rotated, name, sample())));
  EXPECT_FALSE(rotated.is_by_first(""));
}

TEST(SealedLogin, one_that_is_too_long_is_not_sealed) {
  const access::SessionKeys keys = keys_of(key_line('a'));
  const std::size_t much = login_bytes_max - 2'000;
  EXPECT_TRUE(opened_login(keys, name, sealed_login(keys, name, sample(std::string(much, 'x')))));
  EXPECT_EQ(sealed_login(keys, name, sample(std::string(login_bytes_max, 'x'))), "");
}

TEST(SealedLogin, one_that_waits_for_a_person_is_bound_to_its_name_too) {
  const access::SessionKeys keys = keys_of(key_line('a'));
  auth::WaitingLogin waiting;
  waiting.so_far = sample();
  waiting.so_far.tokens.reset();
  waiting.redirect_uri = "http://127.0.0.1:1/callback";
  waiting.state = "planted-state";
  waiting.verifier = "planted-verifier";
  waiting.sends_issuer = true;
  const std::string sealed = sealed_waiting(keys, name, waiting);
  const std::optional<auth::WaitingLogin> opened = opened_waiting(keys, name, sealed);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->so_far.issuer, waiting.so_far.issuer);
  EXPECT_EQ(opened->state, waiting.state);
  EXPECT_EQ(opened->verifier, waiting.verifier);
  EXPECT_EQ(opened->redirect_uri, waiting.redirect_uri);
  EXPECT_TRUE(opened->sends_issuer);
  EXPECT_FALSE(opened_login(keys, name, sealed));
  auth::LoginName other = name;
  other.principal = "q";
  EXPECT_FALSE(opened_waiting(keys, other, sealed));
  waiting.verifier.clear();
  EXPECT_FALSE(opened_waiting(keys, name, sealed_waiting(keys, name, waiting)));
}

}  // namespace
}  // namespace pi_mcp::replicas
