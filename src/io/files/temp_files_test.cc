#include "io/files/temp_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/clock.h"

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
  [[nodiscard]] std::string shared() const {
    return base_ + "/pi-mcp-output-user-" + std::to_string(::geteuid());
  }
  static EpochMs hours_from_now(int hours) {
    return {epoch_now().value + Milliseconds(std::chrono::hours(hours)).count()};
  }
  static void age(const std::string& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  static unsigned mode_of(const std::string& path) {
    struct stat status{};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 0777U;
  }
  std::string base_;
};

TEST_F(TempFilesTest, files_are_private_and_outlive_their_session_by_a_day) {
  auto files = std::make_unique<TempFiles>(base_);
  EXPECT_EQ(folders(), 0U) << "nothing is made before it is needed";
  const Result<std::string> path = files->write("txt", "long text", epoch_now());
  ASSERT_TRUE(path);
  EXPECT_TRUE(path->starts_with(shared() + "/output-"));
  EXPECT_EQ(mode_of(*path), 0600U);
  EXPECT_EQ(mode_of(shared()), 0700U);
  files.reset();
  TempFiles next(base_);
  next.sweep(hours_from_now(23));
  EXPECT_EQ(*read_file(*path), "long text");
  next.sweep(hours_from_now(25));
  EXPECT_EQ(folders(), 0U);
}

TEST_F(TempFilesTest, sessions_write_into_one_folder_and_sweep_while_they_run) {
  TempFiles one(base_);
  TempFiles other(base_);
  const Result<std::string> old = one.write("txt", "a", epoch_now());
  const Result<std::string> fresh = other.write("json", "b", epoch_now());
  ASSERT_TRUE(old && fresh);
  EXPECT_EQ(folders(), 1U);
  age(*old, 25);
  ASSERT_TRUE(other.write("txt", "c", hours_from_now(2)));
  EXPECT_FALSE(is_file(*old));
  EXPECT_TRUE(is_file(*fresh));
}

TEST_F(TempFilesTest, the_oldest_go_when_there_are_too_many) {
  constexpr std::size_t parts = 8;
  const std::string part(std::size_t{64} * 1024, 'x');
  TempFiles files(base_, parts * part.size());
  std::vector<std::string> paths;
  const auto write = [&] {
    paths.push_back(files.write("txt", part, epoch_now()).value());
  };
  for (std::size_t i = 0; i < parts; ++i) {
    write();
  }
  age(paths[2], 3);
  age(paths[5], 2);
  write();
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!is_file(paths[i])) {
      gone.push_back(i);
    }
  }
  EXPECT_EQ(gone, (std::vector<std::size_t>{2, 5})) << "one more than needed, for the next";
  // Not every file that is written from now on has to look at all that are there.
  age(paths[0], 1);
  write();
  EXPECT_TRUE(is_file(paths[0]));
  const Result<std::string> huge =
      files.write("txt", std::string((parts + 1) * part.size(), 'x'), epoch_now());
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message(), "576.0KB is more than the 512.0KB that outputs may have");
}

TEST_F(TempFilesTest, what_is_not_ours_stays) {
  fs::create_directories(base_ + "/elsewhere");
  fs::create_directories(base_ + "/pi-mcp-output-1-aa/output-folder");
  ASSERT_TRUE(write_file(base_ + "/elsewhere/output-1.txt", "x"));
  ASSERT_TRUE(write_file(base_ + "/pi-mcp-output-1-aa/notes.txt", "x"));
  ASSERT_TRUE(write_file(base_ + "/pi-mcp-output-1-aa/output-1.txt", "x"));
  fs::create_symlink(base_ + "/elsewhere/output-1.txt", base_ + "/pi-mcp-output-1-aa/output-l");
  fs::create_directory_symlink(base_ + "/elsewhere", base_ + "/pi-mcp-output-link");
  TempFiles(base_).sweep(hours_from_now(48));
  EXPECT_TRUE(is_file(base_ + "/elsewhere/output-1.txt"));
  EXPECT_TRUE(is_file(base_ + "/pi-mcp-output-1-aa/notes.txt"));
  EXPECT_TRUE(is_link(base_ + "/pi-mcp-output-1-aa/output-l"));
  EXPECT_TRUE(is_directory(base_ + "/pi-mcp-output-1-aa/output-folder"));
  EXPECT_FALSE(is_file(base_ + "/pi-mcp-output-1-aa/output-1.txt")) << "of an older version";
}

TEST_F(TempFilesTest, a_folder_that_others_may_read_or_have_planted_is_not_used) {
  fs::create_directory(base_ + "/elsewhere");
  fs::create_directory_symlink(base_ + "/elsewhere", shared());
  const std::string beside_link = TempFiles(base_).write("txt", "x", epoch_now()).value();
  EXPECT_TRUE(beside_link.starts_with(shared() + "-"));
  EXPECT_TRUE(fs::is_empty(base_ + "/elsewhere"));
  fs::remove(shared());
  fs::create_directory(shared());
  ASSERT_TRUE(write_file(shared() + "/mine", "x"));
  fs::permissions(shared(), fs::perms::others_read, fs::perm_options::add);
  EXPECT_TRUE(TempFiles(base_).write("txt", "x", epoch_now())->starts_with(shared() + "-"));
}

TEST_F(TempFilesTest, a_missing_base_folder_is_an_error_that_names_it) {
  TempFiles files(base_ + "/missing");
  const Result<std::string> path = files.write("txt", "x", epoch_now());
  ASSERT_FALSE(path);
  EXPECT_NE(path.error().message().find("/missing/pi-mcp-output-"), std::string::npos);
}

}  // namespace
}  // namespace pi_mcp::io
