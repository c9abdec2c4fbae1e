// Real folders that change.
#include "io/files/file_watch.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/loop.h"
#include "io/loop/with_deadline.h"
#include "support/processes.h"

namespace pi_mcp::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Pair;

class FileWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    // The system's folder for temporary files may itself be behind a link.
    root = canonical_path(folder.path());
    file = root + "/mcp.json";
  }

  static void write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

  // Whether the change is told within `limit`.
  static bool is_told(const std::function<void()>& change,
                      std::vector<std::string> paths,
                      Milliseconds limit = test::patience) {
    return run([&](const Executor& executor) {
      return watch(executor, &change, std::move(paths), limit);
    });
  }

  static Task<bool> watch(Executor executor,
                          const std::function<void()>* change,
                          std::vector<std::string> paths,
                          Milliseconds limit) {
    FileWatch files(executor);
    EXPECT_TRUE(files.watch(paths));
    (*change)();
    const Result<void> told = co_await with_deadline_of(&files, limit);
    co_return told.has_value();
  }

  static Task<Result<void>> with_deadline_of(FileWatch* files, Milliseconds limit) {
    const Result<int> first = co_await with_deadline(limit, "a change", told(files));
    co_return first ? Result<void>() : Result<void>(fail(first.error()));
  }

  static Task<Result<int>> told(FileWatch* files) {
    const Result<void> first = co_await files->wait();
    co_return first ? Result<int>(0) : Result<int>(fail(first.error()));
  }

  // Whether the old file is silent and the new one is told.
  static Task<bool> rewatch(Executor executor, std::string root) {
    FileWatch files(executor);
    fs::create_directory(root + "/old");
    EXPECT_TRUE(files.watch({root + "/old/file"}));
    EXPECT_TRUE(files.watch({root + "/new"}));
    write(root + "/old/file", "1");
    const Result<void> silent = co_await with_deadline_of(&files, Milliseconds(20));
    write(root + "/new", "1");
    const Result<void> told = co_await with_deadline_of(&files, test::patience);
    co_return !silent && told;
  }

  test::TempFolder folder;
  std::string root;
  std::string file;
};

TEST_F(FileWatchTest, tells_of_a_file_that_appears_changes_and_goes) {
  EXPECT_TRUE(is_told([this] { write(file, "1"); }, {file}));
  EXPECT_TRUE(is_told([this] { write(file, "2"); }, {file}));
  EXPECT_TRUE(is_told([this] { fs::remove(file); }, {file}));
}

TEST_F(FileWatchTest, tells_of_a_file_that_is_renamed_over_it) {
  write(file, "1");
  write(root + "/new", "2");
  EXPECT_TRUE(is_told([this] { fs::rename(root + "/new", file); }, {file}));
}

TEST_F(FileWatchTest, tells_of_folders_that_appear_above_it) {
  const std::string deep = root + "/a/b/mcp.json";
  EXPECT_TRUE(is_told([this] { fs::create_directory(root + "/a"); }, {deep}));
  EXPECT_TRUE(is_told([this] { fs::create_directory(root + "/a/b"); }, {deep}));
  EXPECT_TRUE(is_told([&] { write(deep, "1"); }, {deep}));
}

TEST_F(FileWatchTest, tells_of_its_folder_that_goes) {
  fs::create_directory(root + "/a");
  write(root + "/a/mcp.json", "1");
  EXPECT_TRUE(is_told([this] { fs::rename(root + "/a", root + "/b"); }, {root + "/a/mcp.json"}));
}

TEST_F(FileWatchTest, follows_links_to_the_file_and_to_its_folder) {
  fs::create_directories(root + "/dots/v1");
  write(root + "/dots/v1/real.json", "1");
  fs::create_directory_symlink("v1", root + "/dots/now");
  fs::create_symlink("dots/now/real.json", file);
  EXPECT_TRUE(is_told([this] { write(root + "/dots/v1/real.json", "2"); }, {file}));
  EXPECT_TRUE(is_told(
      [this] {
        fs::create_directory_symlink("v2", root + "/dots/next");
        fs::rename(root + "/dots/next", root + "/dots/now");
      },
      {file}));
}

TEST_F(FileWatchTest, says_nothing_about_other_files) {
  write(file, "1");
  // The kernel queues events before the call that causes them returns.
  EXPECT_FALSE(is_told([this] { write(root + "/other", "1"); }, {file}, Milliseconds(20)));
}

TEST_F(FileWatchTest, watches_other_files_when_told_to) {
  const bool told = run([this](const Executor& executor) { return rewatch(executor, root); });
  EXPECT_TRUE(told);
}

TEST_F(FileWatchTest, places_are_where_a_path_is_decided) {
  write(root + "/real", "1");
  fs::create_symlink("real", root + "/link");
  std::unordered_set<std::string> folders;
  EXPECT_THAT(places_of(root + "/link", folders),
              ElementsAre(Pair(root, "link"), Pair(root, "real")));
  EXPECT_THAT(places_of(root + "/no/such/file", folders), ElementsAre(Pair(root, "no")));
  fs::create_symlink("loop", root + "/loop");
  EXPECT_EQ(places_of(root + "/loop", folders).size(), 41U) << "a link to itself ends";
  EXPECT_TRUE(folders.contains(root));
  EXPECT_FALSE(folders.contains(root + "/link")) << "a link is looked at each time";
}

}  // namespace
}  // namespace pi_mcp::io
