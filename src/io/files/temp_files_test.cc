#include "io/files/temp_files.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "io/files/file.h"

namespace pi_mcp::io {
namespace {

namespace fs = std::filesystem;

class TempFilesTest : public testing::Test {
 protected:
  TempFilesTest() {
    std::string pattern = testing::TempDir() + "/temp-files-XXXXXX";
    base_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(base_); }

  [[nodiscard]] std::size_t folders() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(base_), {}));
  }
  std::string base_;
};

TEST_F(TempFilesTest, files_are_private_and_go_with_their_owner) {
  auto files = std::make_unique<TempFiles>(base_);
  EXPECT_EQ(folders(), 0U) << "nothing is made before it is needed";
  const Result<std::string> path = files->write("txt", "long text");
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->ends_with("/output-1.txt"));
  struct stat status{};
  ASSERT_EQ(::stat(path->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(fs::path(*path).parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  EXPECT_EQ(*read_file(*path), "long text");
  files.reset();
  EXPECT_EQ(folders(), 0U);
}

TEST_F(TempFilesTest, folders_of_dead_processes_are_removed) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  fs::create_directory(base_ + "/pi-mcp-output-" + std::to_string(child) + "-aa");
  fs::create_directory(base_ + "/pi-mcp-output-" + std::to_string(::getpid()) + "-bb");
  fs::create_directory(base_ + "/pi-mcp-output-x");
  TempFiles files(base_);
  ASSERT_TRUE(files.write("txt", ""));
  EXPECT_EQ(folders(), 3U) << "only the dead one is gone";
}

TEST_F(TempFilesTest, a_missing_base_folder_is_an_error_that_names_it) {
  TempFiles files(base_ + "/missing");
  const Result<std::string> path = files.write("txt", "x");
  ASSERT_FALSE(path);
  EXPECT_NE(path.error().message().find("/missing/pi-mcp-output-"), std::string::npos);
}

}  // namespace
}  // namespace pi_mcp::io
