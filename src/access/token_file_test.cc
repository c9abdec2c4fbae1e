#include "access/token_file.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"

namespace pi_mcp::access {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using What = TokenFound::What;

class TokenFileTest : public testing::Test {
 protected:
  TokenFileTest() {
    std::string pattern = testing::TempDir() + "/pi-mcp-tokens-XXXXXX";
    dir = ::mkdtemp(pattern.data());
    running.emplace(dir);
    log::set_sink([this](log::Level, std::string_view line) { said.append(line).append("\n"); });
  }
  ~TokenFileTest() override {
    log::set_sink(nullptr);
    fs::remove_all(dir);
  }
  TokenFileTest(const TokenFileTest&) = delete;
  TokenFileTest& operator=(const TokenFileTest&) = delete;
  TokenFileTest(TokenFileTest&&) = delete;
  TokenFileTest& operator=(TokenFileTest&&) = delete;

  std::string add(const std::string& name, std::optional<EpochMs> expires = {}) {
    const Result<std::string> token = TokenFile(dir).add(
        {.name = name, .id = {}, .servers = {}, .tools = {}, .expires = expires}, EpochMs{1});
    EXPECT_TRUE(token) << token.error().message();
    return token.value_or("");
  }
  [[nodiscard]] std::string text() const {
    std::ifstream file(TokenFile::path_in(dir));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& now_text) const {
    std::ofstream(TokenFile::path_in(dir)) << now_text;
  }
  // Of a server that runs all the time.
  What found(const std::string& bearer, std::int64_t at) {
    return running->find(bearer, EpochMs{at}).what;
  }

  std::string dir;
  std::string said;
  std::optional<TokenFile> running;
};

TEST_F(TokenFileTest, is_for_its_owner_alone_and_has_no_token_in_it) {
  const std::string folder = dir + "/new/agent";
  const Result<std::string> token = TokenFile(folder).add(
      {.name = "ci", .id = {}, .servers = {}, .tools = {}, .expires = {}}, EpochMs{1});
  ASSERT_TRUE(token);
  EXPECT_THAT(*token, MatchesRegex("pimcp_[A-Za-z0-9_-]{43}"));
  const std::string path = TokenFile::path_in(folder);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  std::ifstream file(path);
  const std::string kept{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_THAT(kept, Not(HasSubstr(token->substr(6, 30))));
}

TEST_F(TokenFileTest, a_token_is_found_until_it_expires) {
  const std::string ever = add("ever");
  const std::string short_lived = add("short", EpochMs{5'000});
  EXPECT_NE(ever, short_lived);
  EXPECT_EQ(found(ever, 1'000), What::good);
  EXPECT_EQ(running->find(ever, EpochMs{1'000}).principal->name, "ever");
  EXPECT_EQ(found(short_lived, 4'999), What::good);
  EXPECT_EQ(found(short_lived, 5'000), What::expired);
  EXPECT_EQ(found(ever, 5'000), What::good);
  EXPECT_EQ(found("", 5'000), What::unknown);
  EXPECT_EQ(found(ever.substr(1), 5'000), What::unknown);
  EXPECT_EQ(found(ever + "x", 5'000), What::unknown);
  EXPECT_EQ(found(std::string(100'000, 'x'), 5'000), What::unknown);
  EXPECT_EQ(running->find("x", EpochMs{5'000}).principal, nullptr);
}

TEST_F(TokenFileTest, a_new_token_is_good_at_once_and_a_removed_one_for_a_second) {
  EXPECT_FALSE(running->has_any(EpochMs{0}));
  const std::string token = add("ci");
  EXPECT_FALSE(running->has_any(EpochMs{999})) << "looked at just now";
  EXPECT_EQ(found(token, 999), What::good) << "looked at again for a token that nobody knows";
  EXPECT_TRUE(running->has_any(EpochMs{1'000}));
  ASSERT_TRUE(TokenFile(dir).remove("ci"));
  EXPECT_EQ(found(token, 1'998), What::good);
  EXPECT_EQ(found(token, 2'000), What::unknown);
  EXPECT_FALSE(running->has_any(EpochMs{2'000}));
  const std::string later = add("ci");
  EXPECT_EQ(found(later, 500), What::good) << "a clock that was set back";
  fs::remove(TokenFile::path_in(dir));
  EXPECT_EQ(found(later, 1'500), What::unknown);
}

TEST_F(TokenFileTest, who_came_may_go_on_while_the_token_is_there_and_good) {
  add("ci", EpochMs{9'000});
  const Principal before = *TokenFile(dir).list()->front().principal;
  EXPECT_TRUE(running->is_good(before, EpochMs{1'000}));
  EXPECT_FALSE(running->is_good(before, EpochMs{9'000}));
  ASSERT_TRUE(TokenFile(dir).remove("ci"));
  EXPECT_FALSE(running->is_good(before, EpochMs{2'000}));
  add("ci");
  EXPECT_FALSE(running->is_good(before, EpochMs{3'000})) << "another token of that name";
  EXPECT_TRUE(running->is_good(*TokenFile(dir).list()->front().principal, EpochMs{4'000}));
  EXPECT_TRUE(running->is_good({}, EpochMs{5'000})) << "the user of this machine has none";
}

TEST_F(TokenFileTest, expired_tokens_let_nobody_in) {
  add("ci", EpochMs{5'000});
  EXPECT_TRUE(running->has_any(EpochMs{4'999}));
  EXPECT_FALSE(running->has_any(EpochMs{5'000}));
}

TEST_F(TokenFileTest, a_damaged_file_lets_nobody_in_and_says_so_once) {
  const std::string token = add("ci");
  const std::string good = text();
  EXPECT_EQ(found(token, 0), What::good);
  write("{ broken");
  EXPECT_EQ(found(token, 1'000), What::unknown);
  EXPECT_EQ(found(token, 2'000), What::unknown);
  EXPECT_THAT(said, MatchesRegex(".*mcp-http-tokens.json: line 1.*nobody is let in[^\n]*\n"));
  const Result<std::vector<TokenRecord>> listed = TokenFile(dir).list();
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().message(), HasSubstr("mcp-http-tokens.json: line 1"));
  const Result<std::string> added = TokenFile(dir).add(
      {.name = "bob", .id = {}, .servers = {}, .tools = {}, .expires = {}}, EpochMs{1});
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message(), HasSubstr("mcp-http-tokens.json: line 1"));
  EXPECT_EQ(text(), "{ broken");
  write(good);
  EXPECT_EQ(found(token, 3'000), What::good);
}

TEST_F(TokenFileTest, a_file_that_others_may_write_lets_nobody_in) {
  const std::string token = add("ci");
  EXPECT_EQ(found(token, 0), What::good);
  ASSERT_EQ(::chmod(TokenFile::path_in(dir).c_str(), 0666), 0);
  EXPECT_EQ(found(token, 1'000), What::unknown);
  EXPECT_EQ(found(token, 2'000), What::unknown);
  EXPECT_THAT(said, MatchesRegex("[^\n]*chmod 600 [^\n]*nobody is let in[^\n]*\n"));
  EXPECT_FALSE(TokenFile(dir).list());
  EXPECT_FALSE(TokenFile(dir).remove("ci"));
  EXPECT_FALSE(TokenFile(dir).add(
      {.name = "bob", .id = {}, .servers = {}, .tools = {}, .expires = {}}, EpochMs{1}));
  ASSERT_EQ(::chmod(TokenFile::path_in(dir).c_str(), 0600), 0);
  EXPECT_EQ(found(token, 3'000), What::good);
}

TEST_F(TokenFileTest, names_that_are_taken_or_none_are_refused) {
  add("ci");
  const auto refusal = [this](const std::string& name) {
    const Result<std::string> token = TokenFile(dir).add(
        {.name = name, .id = {}, .servers = {}, .tools = {}, .expires = {}}, EpochMs{1});
    return token ? "made" : token.error().message();
  };
  EXPECT_THAT(refusal("ci"), HasSubstr("there is a token \"ci\" already"));
  EXPECT_THAT(refusal("a b"), HasSubstr("is no name for a token"));
  EXPECT_THAT(refusal(""), HasSubstr("is no name for a token"));
  const Result<void> removed = TokenFile(dir).remove("bob");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code(), ErrorCode::not_found);
  ASSERT_THAT(*TokenFile(dir).list(), SizeIs(1));
}

TEST_F(TokenFileTest, nothing_is_made_by_looking) {
  EXPECT_THAT(*TokenFile(dir + "/none").list(), IsEmpty());
  EXPECT_FALSE(TokenFile(dir + "/none").remove("ci"));
  EXPECT_FALSE(fs::exists(dir + "/none"));
}

TEST_F(TokenFileTest, no_token_of_another_writer_is_lost) {
  constexpr int writers = 8;
  std::vector<std::thread> threads;
  threads.reserve(writers);
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([this, i] { add("t" + std::to_string(i)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(*TokenFile(dir).list(), SizeIs(writers));
}

}  // namespace
}  // namespace pi_mcp::access
