#include "io/files/owner_lock.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

namespace pi_mcp::io {
namespace {

class OwnerLockTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/pi-mcp-lock-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    path = folder + "/deep/a.lock";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static unsigned mode_of(const std::string& file) {
    struct stat status{};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
  }

  std::string folder;
  std::string path;
};

TEST_F(OwnerLockTest, has_an_owner_as_long_as_the_object_lives) {
  EXPECT_FALSE(has_owner(path)) << "no file";
  {
    const Result<OwnerLock> lock = OwnerLock::take(path);
    ASSERT_TRUE(lock) << lock.error().message();
    EXPECT_TRUE(has_owner(path));
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_EQ(mode_of(folder + "/deep"), 0700U);
  }
  EXPECT_FALSE(has_owner(path));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(OwnerLockTest, a_file_without_owner_can_be_taken) {
  std::filesystem::create_directories(folder + "/deep");
  std::ofstream(path) << "left by a process that was killed";
  EXPECT_FALSE(has_owner(path));
  const Result<OwnerLock> lock = OwnerLock::take(path);
  ASSERT_TRUE(lock) << lock.error().message();
  EXPECT_TRUE(has_owner(path));
}

TEST_F(OwnerLockTest, the_end_of_the_process_gives_it_up) {
  std::array<int, 2> taken{};
  ASSERT_EQ(::pipe(taken.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<OwnerLock> lock = OwnerLock::take(path);
    (void)!::write(taken[1], lock ? "y" : "n", 1);
    (void)::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(taken[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_TRUE(has_owner(path));
  (void)::kill(child, SIGKILL);
  (void)::waitpid(child, nullptr, 0);
  EXPECT_FALSE(has_owner(path));
  EXPECT_TRUE(std::filesystem::exists(path));
  (void)::close(taken[0]);
  (void)::close(taken[1]);
}

TEST_F(OwnerLockTest, a_folder_that_cannot_be_made_is_named) {
  std::ofstream(folder + "/deep") << "a file";
  const Result<OwnerLock> lock = OwnerLock::take(path);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code(), ErrorCode::io);
  EXPECT_NE(lock.error().message().find(folder + "/deep"), std::string::npos);
}

}  // namespace
}  // namespace pi_mcp::io
