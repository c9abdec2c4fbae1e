#include "auth/token_store.h"

#include <filesystem>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

// Plays `pi-mcp __keyring` with files of a folder of its own.
constexpr std::string_view keyring_script = R"(#!/bin/sh
cd "${0%/*}" || exit 9
echo "$2" >>asked
[ ! -e fails ] || { echo "it is closed"; exit 4; }
[ ! -e hangs ] || exec /bin/sleep 60
case $2 in
find) [ -e "secret-$3" ] || exit 3; /bin/cat "secret-$3" ;;
keep) /bin/cat >"secret-$3" ;;
drop) [ -e "secret-$3" ] || exit 3; /bin/rm "secret-$3" ;;
esac
)";

// What io::run() gives back has to be something.
io::Task<bool> removed(Access access) {
  co_await remove_logins(std::move(access));
  co_return true;
}

class TokenStoreTest : public testing::Test {
 protected:
  TokenStoreTest() {
    folder = testing::TempDir() + "/token-store-" + io::random_hex(8);
    access.server = "remote";
    access.url = "https://mcp.example/mcp";
    access.agent_dir = folder + "/agent";
    access.keyring_program = folder + "/keyring";
    access.variables = {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere"}};
    EXPECT_TRUE(io::write_file(access.keyring_program, keyring_script, {.mode = 0700}));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static Credentials sample() {
    Credentials credentials;
    credentials.server_url = "https://mcp.example/mcp";
    credentials.issuer = "https://as.example";
    credentials.client.id = "client";
    credentials.client.source = ClientSource::registered;
    credentials.tokens = Tokens{.access = "planted-access",
                                .refresh = "planted-refresh",
                                .scope = "a",
                                .stale_at = {},
                                .login_ends_at = {}};
    return credentials;
  }

  void set(const std::string& mode, bool on = true) const {
    if (on) {
      EXPECT_TRUE(io::write_file(folder + "/" + mode, ""));
    } else {
      io::remove_file(folder + "/" + mode);
    }
  }
  template <class T>
  T run(io::Task<T> (TokenStore::*task)() const) const {
    const TokenStore store(access);
    return io::run([&](const io::Executor&) { return (store.*task)(); });
  }
  Result<void> log_in(Credentials credentials = sample()) const {
    const TokenStore store(access);
    return io::run([&](const io::Executor&) { return store.write_login(credentials); });
  }
  Result<void> renew(Credentials credentials) const {
    const TokenStore store(access);
    return io::run([&](const io::Executor&) { return store.write(credentials); });
  }
  [[nodiscard]] std::string access_token() const {
    const auto read = run(&TokenStore::read);
    if (!read) {
      return read.error().message();
    }
    return *read && (*read)->tokens ? (*read)->tokens->access : "none";
  }
  // What is to be done when it cannot be read.
  [[nodiscard]] std::optional<Remedy> remedy() const {
    const auto read = run(&TokenStore::read);
    return read || !read.error().remedy() ? std::nullopt : std::optional(*read.error().remedy());
  }
  // The text of all that is stored, the keyring's own files left out.
  [[nodiscard]] std::string file() const {
    for (const std::string& name : io::names_in(access.agent_dir + "/mcp-credentials")) {
      return io::read_file(access.agent_dir + "/mcp-credentials/" + name)->value_or("");
    }
    return "";
  }
  [[nodiscard]] std::string asked() const { return io::read_file(folder + "/asked")->value_or(""); }

  Access access;
  std::string folder;
};

TEST_F(TokenStoreTest, a_login_is_kept_in_the_keyring_and_the_file_says_so) {
  EXPECT_TRUE(log_in());
  EXPECT_THAT(file(), HasSubstr(R"("store":"keyring")"));
  EXPECT_THAT(file(), HasSubstr("https://as.example"));
  EXPECT_THAT(file(), Not(HasSubstr("planted")));
  EXPECT_EQ(access_token(), "planted-access");
  EXPECT_TRUE(*run(&TokenStore::remove));
  EXPECT_EQ(file(), "");
  EXPECT_EQ(asked(), "keep\nfind\ndrop\n");
}

TEST_F(TokenStoreTest, nothing_is_started_without_a_message_bus_or_against_the_users_will) {
  access.variables = {{"XDG_RUNTIME_DIR", folder}};  // there is no bus in it
  EXPECT_TRUE(log_in());
  EXPECT_EQ(access_token(), "planted-access");
  access.variables = {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere"}};
  access.store = LoginStore::file;
  EXPECT_TRUE(log_in());
  EXPECT_THAT(file(), HasSubstr("planted-access"));
  EXPECT_TRUE(*run(&TokenStore::remove));
  EXPECT_FALSE(*run(&TokenStore::remove));
  EXPECT_EQ(asked(), "");
}

TEST_F(TokenStoreTest, a_login_that_the_keyring_does_not_take_is_kept_in_the_file) {
  set("fails");
  EXPECT_TRUE(log_in());
  EXPECT_THAT(file(), HasSubstr("planted-access"));
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(TokenStoreTest, files_of_earlier_versions_stay_as_they_are_until_the_next_login) {
  const TokenStore store(access);
  EXPECT_TRUE(store.write_record(sample()));
  EXPECT_EQ(access_token(), "planted-access");
  EXPECT_TRUE(renew(sample()));
  EXPECT_THAT(file(), HasSubstr("planted-access"));
  EXPECT_EQ(asked(), "");
  EXPECT_TRUE(log_in());
  EXPECT_THAT(file(), Not(HasSubstr("planted")));
}

TEST_F(TokenStoreTest, a_keyring_that_does_not_answer_costs_its_deadline_and_says_what_to_do) {
  EXPECT_TRUE(log_in());
  set("hangs");
  const std::string told = access_token();
  EXPECT_THAT(told, HasSubstr("did not answer within 2000 ms"));
  EXPECT_THAT(told, HasSubstr("log in again"));
  EXPECT_EQ(remedy(), (Remedy{.kind = Remedy::Kind::log_in, .subject = "remote"}));
  set("hangs", false);
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(TokenStoreTest, renewed_tokens_are_not_lost_when_the_keyring_refuses_them) {
  EXPECT_TRUE(log_in());
  set("fails");
  Credentials renewed = sample();
  renewed.secrets_in = SecretsIn::keyring;
  renewed.tokens->access = "newer-access";
  EXPECT_TRUE(renew(renewed));
  EXPECT_EQ(access_token(), "newer-access");
  set("fails", false);
  EXPECT_EQ(access_token(), "newer-access");
  EXPECT_TRUE(*run(&TokenStore::remove));
  EXPECT_THAT(asked(), testing::EndsWith("drop\n"));
}

TEST_F(TokenStoreTest, a_logout_that_the_keyring_does_not_follow_is_not_done) {
  EXPECT_TRUE(log_in());
  set("fails");
  const auto removed = run(&TokenStore::remove);
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(removed.error().message(), HasSubstr("it is closed"));
  set("fails", false);
  EXPECT_EQ(access_token(), "planted-access");
  EXPECT_TRUE(*run(&TokenStore::remove));
}

TEST_F(TokenStoreTest, a_login_of_another_place_leaves_nothing_in_the_keyring) {
  EXPECT_TRUE(log_in());
  access.store = LoginStore::file;
  EXPECT_TRUE(log_in());
  EXPECT_EQ(asked(), "keep\ndrop\n");
  EXPECT_THAT(file(), HasSubstr(R"("store":"file")"));
}

TEST_F(TokenStoreTest, tokens_that_somebody_took_out_of_the_keyring_are_no_login) {
  EXPECT_TRUE(log_in());
  for (const std::string& name : io::names_in(folder)) {
    if (name.starts_with("secret-")) {
      io::remove_file(folder + "/" + name);
    }
  }
  EXPECT_EQ(access_token(), "none");
}

// Logins in a file that a key opens.
class SealedStoreTest : public TokenStoreTest {
 protected:
  SealedStoreTest() {
    access.store = LoginStore::encrypted_file;
    access.key_file = folder + "/key";
    write_key("a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=\n");
  }
  void write_key(const std::string& text) const {
    io::remove_file(folder + "/key");
    EXPECT_TRUE(io::write_file(folder + "/key", text));
  }
  [[nodiscard]] bool has_plain_secret() const {
    return file().find("planted") != std::string::npos;
  }
};

TEST_F(SealedStoreTest, a_login_is_sealed_with_the_key_of_the_users_file) {
  EXPECT_TRUE(log_in());
  EXPECT_THAT(file(), HasSubstr(R"("store":"encrypted-file")"));
  EXPECT_THAT(file(), HasSubstr("https://as.example"));
  EXPECT_FALSE(has_plain_secret());
  EXPECT_EQ(access_token(), "planted-access");
  EXPECT_EQ(asked(), "") << "no keyring is needed";
  EXPECT_TRUE(*run(&TokenStore::remove));
  EXPECT_EQ(file(), "");
}

TEST_F(SealedStoreTest, renewals_are_sealed_anew_with_another_nonce) {
  EXPECT_TRUE(log_in());
  const std::string before = file();
  const auto read = run(&TokenStore::read);
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE(renew(**read));
  EXPECT_NE(file(), before);
  EXPECT_FALSE(has_plain_secret());
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(SealedStoreTest, tokens_of_a_plain_file_are_read_and_sealed_at_the_next_write) {
  access.store = LoginStore::file;
  EXPECT_TRUE(log_in());
  EXPECT_TRUE(has_plain_secret());
  access.store = LoginStore::encrypted_file;
  EXPECT_EQ(access_token(), "planted-access");
  const auto read = run(&TokenStore::read);
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE(renew(**read));
  EXPECT_FALSE(has_plain_secret());
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(SealedStoreTest, tokens_of_a_plain_file_are_not_lost_when_there_is_no_key) {
  access.store = LoginStore::file;
  EXPECT_TRUE(log_in());
  access.store = LoginStore::encrypted_file;
  io::remove_file(access.key_file);
  Credentials renewed = sample();
  renewed.tokens->access = "newer-access";
  EXPECT_TRUE(renew(renewed));
  EXPECT_EQ(access_token(), "newer-access");
}

TEST_F(SealedStoreTest, without_a_key_a_login_is_refused_and_both_ways_are_named) {
  access.key_file = "";
  access.variables.clear();
  for (const Result<void>& refused : {run(&TokenStore::check), log_in()}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::unavailable);
    EXPECT_THAT(refused.error().message(), HasSubstr("keyring"));
    EXPECT_THAT(refused.error().message(), HasSubstr("oauthKeyFile"));
  }
  EXPECT_EQ(file(), "");
}

TEST_F(SealedStoreTest, a_key_that_others_may_read_or_that_is_none_is_not_used) {
  std::filesystem::permissions(access.key_file, std::filesystem::perms(0640));
  EXPECT_THAT(log_in().error().message(), HasSubstr("chmod 600"));
  write_key("password");
  EXPECT_THAT(log_in().error().message(), HasSubstr("holds no key"));
}

TEST_F(SealedStoreTest, what_another_key_has_sealed_is_said_and_kept) {
  EXPECT_TRUE(log_in());
  const std::string before = file();
  write_key(std::string(64, '7'));
  EXPECT_THAT(access_token(), HasSubstr("another key"));
  EXPECT_EQ(remedy(), (Remedy{.kind = Remedy::Kind::log_in, .subject = "remote"}));
  EXPECT_EQ(file(), before);
  io::remove_file(access.key_file);
  EXPECT_THAT(access_token(), HasSubstr("cannot be decrypted"));
  EXPECT_EQ(file(), before);
  write_key("a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=");
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(SealedStoreTest, the_keyring_makes_and_keeps_a_key_where_no_file_is_named) {
  access.key_file = "";
  EXPECT_TRUE(log_in());
  EXPECT_EQ(asked(), "find\nkeep\nfind\n");
  EXPECT_FALSE(has_plain_secret());
  EXPECT_EQ(access_token(), "planted-access");
  set("fails");
  EXPECT_THAT(access_token(), HasSubstr("it is closed"));
  EXPECT_THAT(file(), HasSubstr("sealed"));
}

TEST_F(SealedStoreTest, the_variable_of_the_adapter_is_a_key_as_well) {
  access.key_file = "";
  access.variables = {{"PI_MCP_ADAPTER_OAUTH_FILE_KEY", std::string(64, '7')}};
  EXPECT_TRUE(log_in());
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(SealedStoreTest, a_login_that_was_in_the_keyring_leaves_nothing_there) {
  access.store = LoginStore::keyring;
  EXPECT_TRUE(log_in());
  access.store = LoginStore::encrypted_file;
  EXPECT_TRUE(log_in());
  EXPECT_EQ(asked(), "keep\ndrop\n");
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(TokenStoreTest, a_principal_has_the_logins_that_were_made_for_it_alone) {
  EXPECT_TRUE(log_in());
  access.principal = "1f";
  EXPECT_EQ(access_token(), "none");
  Credentials theirs = sample();
  theirs.tokens->access = "their-access";
  EXPECT_TRUE(log_in(theirs));
  EXPECT_EQ(access_token(), "their-access");
  access.principal = "2e";
  EXPECT_EQ(access_token(), "none");
  access.principal = "";
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(TokenStoreTest, the_adapters_file_is_not_a_principals) {
  const std::string adapters = access.agent_dir + "/mcp-oauth/remote/tokens.json";
  EXPECT_TRUE(io::write_file(adapters, R"({"access_token":"seed"})"));
  EXPECT_TRUE(TokenStore(access).adapter_tokens());
  access.principal = "1f";
  EXPECT_FALSE(TokenStore(access).adapter_tokens());
  EXPECT_FALSE(*run(&TokenStore::remove));
  EXPECT_TRUE(io::is_file(adapters));
}

TEST_F(TokenStoreTest, the_users_login_is_no_remedy_for_a_principals) {
  access.principal = "1f";
  EXPECT_TRUE(log_in());
  set("fails");
  EXPECT_THAT(access_token(), HasSubstr("log in again"));
  EXPECT_EQ(remedy(), std::nullopt);
}

TEST_F(SealedStoreTest, a_record_in_the_folder_of_somebody_else_is_not_opened) {
  EXPECT_TRUE(log_in());
  const std::string name = io::names_in(logins_dir(access)).front();
  const std::string text = file();
  access.principal = "1f";
  EXPECT_TRUE(io::write_file(logins_dir(access) + "/" + name, text));
  EXPECT_THAT(access_token(), HasSubstr("cannot be decrypted"));
}

TEST_F(TokenStoreTest, all_logins_of_a_principal_are_removed_and_nobody_elses) {
  EXPECT_TRUE(log_in());
  access.principal = "1f";
  EXPECT_TRUE(log_in());
  access.server = "another";
  EXPECT_TRUE(log_in());
  io::remove_file(folder + "/asked");
  EXPECT_TRUE(io::run([&](const io::Executor&) { return removed(access); }));
  EXPECT_EQ(asked(), "drop\ndrop\n");
  EXPECT_EQ(access_token(), "none");
  access.server = "remote";
  EXPECT_EQ(access_token(), "none");
  access.principal = "";
  EXPECT_EQ(access_token(), "planted-access");
}

TEST_F(TokenStoreTest, folders_of_other_agents_have_other_secrets) {
  EXPECT_TRUE(log_in());
  access.agent_dir += "-of-another";
  Credentials other = sample();
  other.tokens->access = "other-access";
  EXPECT_TRUE(log_in(other));
  EXPECT_EQ(access_token(), "other-access");
  access.agent_dir = folder + "/agent";
  EXPECT_EQ(access_token(), "planted-access");
}

}  // namespace
}  // namespace pi_mcp::auth
