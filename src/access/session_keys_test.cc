#include "access/session_keys.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string key_a(64, 'a');
const std::string key_b(64, 'b');

SessionKeys keys_of(const std::string& text) {
  Result<SessionKeys> keys = SessionKeys::parse(text, "keys");
  EXPECT_TRUE(keys);
  return keys ? *std::move(keys) : SessionKeys::in_memory();
}

std::string refusal_of(const std::string& text) {
  const Result<SessionKeys> keys = SessionKeys::parse(text, "/k");
  return keys ? "taken" : keys.error().message();
}

TEST(SessionKeys, what_one_seals_another_with_the_same_key_opens) {
  const std::string sealed = keys_of(key_a).seal("session", R"({"who":"ci"})");
  EXPECT_EQ(keys_of(key_a).open("session", sealed), R"({"who":"ci"})");
  EXPECT_EQ(keys_of(key_a).open("state", sealed), std::nullopt);
  EXPECT_EQ(keys_of(key_a).open("", sealed), std::nullopt);
  EXPECT_EQ(keys_of(key_b).open("session", sealed), std::nullopt);
  EXPECT_EQ(SessionKeys::in_memory().open("session", sealed), std::nullopt);
}

TEST(SessionKeys, a_sealed_text_is_short_and_at_home_in_headers_and_json) {
  const SessionKeys keys = SessionKeys::in_memory();
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string sealed = keys.seal("p", std::string(size, '\xFF'));
    EXPECT_EQ(sealed.size(), (30 + size) / 3 * 4 + (size % 3 == 0 ? 0 : size % 3 + 1));
    EXPECT_EQ(sealed.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789-_"),
              std::string::npos);
    EXPECT_EQ(keys.open("p", sealed), std::string(size, '\xFF'));
  }
}

TEST(SessionKeys, the_first_seals_and_all_open) {
  const std::string old = keys_of(key_a).seal("p", "old");
  const SessionKeys both = keys_of(key_b + "\n" + key_a + "\n");
  EXPECT_EQ(both.open("p", old), "old");
  EXPECT_EQ(keys_of(key_b).open("p", both.seal("p", "new")), "new");
  EXPECT_EQ(keys_of(key_b).open("p", old), std::nullopt);
}

TEST(SessionKeys, any_change_is_noticed) {
  const SessionKeys keys = keys_of(key_a + "\n" + key_b);
  const std::string sealed = keys.seal("p", "a text");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (const char other : {'A', 'B', '-', '_', '=', ' ', '\n', '\0', '\xFF'}) {
      std::string changed = sealed;
      changed[i] = other;
      if (changed != sealed) {
        EXPECT_EQ(keys.open("p", changed), std::nullopt) << i << " " << int{other};
      }
    }
    EXPECT_EQ(keys.open("p", sealed.substr(0, i)), std::nullopt) << i;
    std::string more = sealed;
    more.insert(i, 1, 'A');
    EXPECT_EQ(keys.open("p", more), std::nullopt) << i;
  }
  EXPECT_EQ(keys.open("p", sealed + "\n"), std::nullopt);
  EXPECT_EQ(keys.open("p", sealed + "="), std::nullopt);
}

TEST(SessionKeys, nothing_else_is_opened) {
  const SessionKeys keys = keys_of(key_a);
  for (const char* garbage : {"", "A", "AA", "AAAA", "{}", "../../etc", "\xC3\xA9"}) {
    EXPECT_EQ(keys.open("p", garbage), std::nullopt) << garbage;
  }
  EXPECT_EQ(keys.open("p", std::string(1'000'000, 'A')), std::nullopt);
}

TEST(SessionKeys, each_sealed_text_is_another) {
  const SessionKeys keys = SessionKeys::in_memory();
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(keys.seal("p", "same"));
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(SessionKeys, the_length_of_a_text_has_a_limit) {
  const SessionKeys keys = SessionKeys::in_memory();
  const std::string longest(SessionKeys::text_bytes_max, 'x');
  EXPECT_EQ(keys.open("p", keys.seal("p", longest)), longest);
  EXPECT_EQ(keys.seal("p", longest + "x"), "");
}

TEST(SessionKeyFile, has_a_key_a_line_and_comments) {
  EXPECT_EQ(refusal_of("# of replicas\n\n  " + key_a + "  # since May\r\n" + key_b), "taken");
  std::string upper = key_a;
  upper.replace(0, 4, "AaFf");
  EXPECT_EQ(refusal_of(upper), "taken");
}

TEST(SessionKeyFile, names_the_line_that_is_no_key_and_never_repeats_it) {
  for (const std::string& wrong :
       {key_a.substr(1), key_a + "a", key_a + key_b, "z" + key_a.substr(1), key_a + " " + key_b}) {
    EXPECT_THAT(refusal_of(key_b + "\n" + wrong), HasSubstr("/k has no key in line 2"));
    EXPECT_THAT(refusal_of(key_b + "\n" + wrong), Not(HasSubstr("aaaa")));
  }
  EXPECT_THAT(refusal_of("# nothing\n"), HasSubstr("/k has no key in it; make such a file"));
  std::string many;
  for (std::size_t i = 0; i <= SessionKeys::keys_max; ++i) {
    many += key_a + "\n";
  }
  EXPECT_THAT(refusal_of(many), HasSubstr("more than 16 keys"));
}

TEST(SessionKeyFile, is_for_its_owner_alone) {
  std::string folder = testing::TempDir() + "/pi-mcp-keys-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/keys";
  std::ofstream(path) << key_a << "\n";
  for (const mode_t mode : {0644U, 0640U, 0604U, 0620U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    const Result<SessionKeys> keys = SessionKeys::read(path);
    ASSERT_FALSE(keys) << mode;
    EXPECT_THAT(keys.error().message(), HasSubstr("chmod 600 " + path));
  }
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  const Result<SessionKeys> keys = SessionKeys::read(path);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->open("p", keys_of(key_a).seal("p", "x")), "x");
  fs::remove_all(folder);
  EXPECT_THAT(SessionKeys::read(path).error().message(), HasSubstr(path));
}

}  // namespace
}  // namespace pi_mcp::access
