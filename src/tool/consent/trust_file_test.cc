// The file of what the user trusts: private, and never written over by a change that fails.
#include "tool/consent/trust_file.h"

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TrustFileTest : public testing::Test {
 protected:
  TrustFileTest() {
    std::string pattern = testing::TempDir() + "/pi-mcp-trust-XXXXXX";
    dir = ::mkdtemp(pattern.data());
  }
  ~TrustFileTest() override { fs::remove_all(dir); }
  TrustFileTest(const TrustFileTest&) = delete;
  TrustFileTest& operator=(const TrustFileTest&) = delete;
  TrustFileTest(TrustFileTest&&) = delete;
  TrustFileTest& operator=(TrustFileTest&&) = delete;

  std::string dir;
};

TEST_F(TrustFileTest, is_made_for_the_user_alone_with_its_folder) {
  const TrustFile file(dir + "/new/agent");
  EXPECT_EQ(*file.read(), "");
  ASSERT_TRUE(file.update([](const std::string& text) -> Result<std::string> {
    EXPECT_EQ(text, "");
    return "{}";
  }));
  EXPECT_EQ(*file.read(), "{}");
  EXPECT_EQ(fs::status(file.path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(dir + "/new/agent").permissions(), fs::perms::owner_all);
}

TEST_F(TrustFileTest, a_change_that_fails_leaves_it_and_names_it) {
  const TrustFile file(dir);
  ASSERT_TRUE(file.update([](const std::string&) -> Result<std::string> { return "{}"; }));
  const Result<void> changed = file.update([](const std::string&) -> Result<std::string> {
    return fail(ErrorCode::invalid_argument, "it is not a JSON object");
  });
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message(), HasSubstr("mcp-trust.json: it is not a JSON object"));
  EXPECT_EQ(*file.read(), "{}");
}

TEST_F(TrustFileTest, no_update_of_another_writer_is_lost) {
  constexpr int writers = 8;
  std::vector<std::thread> threads;
  threads.reserve(writers);
  for (int i = 0; i < writers; ++i) {
    threads.emplace_back([this] {
      const TrustFile file(dir);
      EXPECT_TRUE(
          file.update([](const std::string& text) -> Result<std::string> { return text + "x"; }));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(TrustFile(dir).read()->size(), std::size_t{writers});
}

}  // namespace
}  // namespace pi_mcp::tool
