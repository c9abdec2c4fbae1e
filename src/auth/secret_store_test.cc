#include "auth/secret_store.h"

#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"

namespace pi_mcp::auth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Plays `pi-mcp __keyring` with files of a folder of its own.
constexpr std::string_view keyring_script = R"(#!/bin/sh
cd "${0%/*}" || exit 9
echo "$2" >>asked
[ ! -e fails ] || { echo "it is locked"; exit 4; }
case $2 in
find-named) [ -e "secret-$3" ] || exit 3; /bin/cat "secret-$3" ;;
keep-named) /bin/cat >"secret-$3" ;;
drop-named) [ -e "secret-$3" ] || exit 3; /bin/rm "secret-$3" ;;
names) for file in secret-*; do [ ! -e "$file" ] || echo "${file#secret-}"; done ;;
esac
)";

template <class T>
T done(Result<T> result) {
  EXPECT_TRUE(result) << result.error().message();
  return result ? *std::move(result) : T();
}

class SecretStoreTest : public testing::Test {
 protected:
  SecretStoreTest() {
    folder = testing::TempDir() + "/secret-store-" + io::random_hex(8);
    access.agent_dir = folder + "/agent";
    access.keyring_program = folder + "/keyring";
    access.variables = {{"DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere"}};
    EXPECT_TRUE(io::write_file(access.keyring_program, keyring_script, {.mode = 0700}));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Result<std::optional<std::string>> find(const std::string& name) const {
    return io::run([&](const io::Executor&) { return store_->find(name); });
  }
  Result<void> keep(const std::string& name, const std::string& secret, SecretPlace place) const {
    return io::run([&](const io::Executor&) { return store_->keep(name, secret, place); });
  }
  Result<bool> remove(const std::string& name) const {
    return io::run([&](const io::Executor&) { return store_->remove(name); });
  }
  // With what `access` says now.
  void open() { store_.emplace(access); }
  void fail_from_now(bool fails = true) const {
    fails ? (void)io::write_file(folder + "/fails", "") : io::remove_file(folder + "/fails");
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    const auto read = io::read_file(folder + "/" + name);
    return read ? read->value_or("") : "";
  }

  std::string folder;
  Access access;
  std::optional<SecretStore> store_;
};

TEST_F(SecretStoreTest, a_secret_is_in_the_keyring_and_in_no_file) {
  open();
  EXPECT_EQ(done(find("A")), std::nullopt);
  EXPECT_TRUE(keep("A", "one", SecretPlace::keyring));
  EXPECT_TRUE(keep("A", "two\n", SecretPlace::keyring));
  EXPECT_EQ(done(find("A")), "two\n");
  EXPECT_FALSE(io::is_file(store_->path()));
  EXPECT_THAT(done(io::run([&](const io::Executor&) { return store_->names_in_keyring(); })),
              ElementsAre("A"));
  EXPECT_TRUE(done(remove("A")));
  EXPECT_FALSE(done(remove("A")));
  EXPECT_EQ(done(find("A")), std::nullopt);
}

TEST_F(SecretStoreTest,
       what_the_user_wants_in_a_file_is_there_for_them_alone_and_needs_no_keyring) {
  access.variables.clear();
  open();
  EXPECT_TRUE(keep("a.b", "one \"two\"", SecretPlace::file));
  EXPECT_TRUE(keep("c", "three", SecretPlace::file));
  struct stat status{};
  ASSERT_EQ(::stat(store_->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(access.agent_dir.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(done(find("a.b")), "one \"two\"");
  EXPECT_THAT(done(store_->names_in_file()), ElementsAre("a.b", "c"));
  EXPECT_TRUE(done(remove("a.b")));
  EXPECT_THAT(done(store_->names_in_file()), ElementsAre("c"));
  EXPECT_EQ(text("asked"), "");
}

TEST_F(SecretStoreTest, without_a_keyring_what_the_file_has_not_is_unknown_and_not_absent) {
  access.variables.clear();
  open();
  for (const Error& error :
       {find("A").error(), keep("A", "x", SecretPlace::keyring).error(), remove("A").error()}) {
    EXPECT_EQ(error.code(), ErrorCode::unavailable);
    EXPECT_THAT(error.message(), HasSubstr("no desktop session"));
  }
  EXPECT_FALSE(io::is_file(store_->path())) << "nothing goes to a file in silence";
}

TEST_F(SecretStoreTest, a_name_is_in_one_place) {
  open();
  EXPECT_TRUE(keep("A", "old", SecretPlace::file));
  EXPECT_TRUE(keep("A", "new", SecretPlace::keyring));
  EXPECT_THAT(done(store_->names_in_file()), ElementsAre());
  EXPECT_EQ(done(find("A")), "new");
  EXPECT_TRUE(keep("A", "newer", SecretPlace::file));
  EXPECT_EQ(text("secret-A"), "");
  EXPECT_EQ(done(find("A")), "newer");
}

TEST_F(SecretStoreTest, a_keyring_that_refuses_leaves_what_was_stored) {
  open();
  EXPECT_TRUE(keep("A", "old", SecretPlace::file));
  fail_from_now();
  EXPECT_THAT(keep("A", "new", SecretPlace::keyring).error().message(), HasSubstr("locked"));
  EXPECT_EQ(done(find("A")), "old") << "the file has it, so that the keyring is not asked";
  EXPECT_TRUE(done(remove("A"))) << "with a warning that the keyring may have an older one";
  EXPECT_EQ(remove("A").error().code(), ErrorCode::unavailable);
}

TEST_F(SecretStoreTest, where_logins_are_encrypted_the_file_is_too) {
  access.store = LoginStore::encrypted_file;
  access.variables = {{"PI_MCP_ADAPTER_OAUTH_FILE_KEY", std::string(64, 'a')}};
  open();
  EXPECT_TRUE(keep("A", "planted", SecretPlace::file));
  EXPECT_THAT(text("agent/mcp-secrets.json"), Not(HasSubstr("planted")));
  EXPECT_EQ(done(find("A")), "planted");
  access.variables = {{"PI_MCP_ADAPTER_OAUTH_FILE_KEY", std::string(64, 'b')}};
  open();
  EXPECT_EQ(find("A").error().code(), ErrorCode::unavailable);
  access.store = LoginStore::file;
  open();
  EXPECT_TRUE(keep("B", "plain", SecretPlace::file));
  EXPECT_EQ(done(find("B")), "plain");
}

TEST_F(SecretStoreTest, a_file_that_others_can_read_gives_and_gets_none) {
  open();
  ASSERT_TRUE(io::write_file(store_->path(), R"({"secrets":{"A":{"value":"x"}}})", {.mode = 0644}));
  EXPECT_THAT(find("A").error().message(), HasSubstr("chmod 600"));
  EXPECT_THAT(keep("B", "y", SecretPlace::file).error().message(), HasSubstr("chmod 600"));
}

TEST_F(SecretStoreTest, a_damaged_or_newer_file_is_left_alone) {
  open();
  for (const std::string_view damaged : {"{", "[]", R"({"version":2,"secrets":{}})"}) {
    EXPECT_TRUE(io::write_file(store_->path(), damaged));
    EXPECT_EQ(find("A").error().code(), ErrorCode::invalid_argument) << damaged;
    EXPECT_FALSE(keep("B", "y", SecretPlace::file)) << damaged;
    EXPECT_EQ(text("agent/mcp-secrets.json"), damaged);
  }
}

}  // namespace
}  // namespace pi_mcp::auth
