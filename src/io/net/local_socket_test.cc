#include "io/net/local_socket.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/own_folder.h"
#include "io/loop/loop.h"
#include "support/processes.h"

namespace pi_mcp::io {
namespace {

using test::TempFolder;

// Longer than the address of a socket may be.
std::string deep_folder(const TempFolder& base) {
  const std::string path = base.path() + "/" + std::string(120, 'd');
  std::filesystem::create_directory(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

Task<int> meet(Executor executor, std::string path) {
  auto folder = open_own_folder(path);
  EXPECT_TRUE(folder);
  EXPECT_EQ(connect_in(*folder, "s", Milliseconds(0)).error().code(), ErrorCode::not_found);
  auto listening = LocalListener::listen_in(*folder, "s");
  EXPECT_TRUE(listening);
  LocalListener listener(executor, std::move(*listening), std::move(*open_own_folder(path)), "s");
  const auto nobody = listener.accept_now();
  EXPECT_TRUE(nobody && !nobody->is_open());
  const auto front = connect_in(*folder, "s", Milliseconds(0));
  EXPECT_TRUE(front);
  EXPECT_TRUE(co_await listener.wait_for_front());
  const auto accepted = listener.accept_now();
  EXPECT_TRUE(accepted && accepted->is_open());
  listener.close();
  EXPECT_FALSE(std::filesystem::exists(path + "/s"));
  EXPECT_EQ(connect_in(*folder, "s", Milliseconds(0)).error().code(), ErrorCode::not_found);
  co_return 0;
}

TEST(LocalSocketTest, is_found_in_a_folder_whose_path_is_longer_than_an_address) {
  const TempFolder base;
  run([&base](Executor executor) { return meet(std::move(executor), deep_folder(base)); });
}

Task<int> replace(Executor executor, std::string path) {
  auto folder = open_own_folder(path);
  auto first = LocalListener::listen_in(*folder, "s");
  EXPECT_TRUE(first);
  LocalListener old(executor, std::move(*first), std::move(*open_own_folder(path)), "s");
  const auto second = LocalListener::listen_in(*folder, "s");
  EXPECT_TRUE(second);
  old.close();  // the name is not its any more
  EXPECT_TRUE(connect_in(*folder, "s", Milliseconds(0)));
  co_return 0;
}

TEST(LocalSocketTest, who_leaves_removes_only_its_own_name) {
  const TempFolder base;
  run([&base](Executor executor) { return replace(std::move(executor), deep_folder(base)); });
}

TEST(LocalSocketTest, names_without_anybody_are_removed_and_no_others) {
  const TempFolder base;
  const auto folder = open_own_folder(deep_folder(base));
  const auto alive = LocalListener::listen_in(*folder, "alive");
  ASSERT_TRUE(alive);
  ASSERT_TRUE(LocalListener::listen_in(*folder, "dead"));
  {
    const std::ofstream lock(deep_folder(base) + "/lock");
  }
  EXPECT_THAT(sockets_in(*folder), testing::UnorderedElementsAre("alive", "dead"));
  remove_dead_sockets(*folder);
  EXPECT_TRUE(connect_in(*folder, "alive", Milliseconds(0)));
  EXPECT_FALSE(std::filesystem::exists(deep_folder(base) + "/dead"));
  EXPECT_TRUE(std::filesystem::exists(deep_folder(base) + "/lock"));
}

TEST(OwnFolderTest, is_made_for_its_owner_alone) {
  const TempFolder base;
  ASSERT_TRUE(open_own_folder(base.file("new")));
  struct stat status{};
  ASSERT_EQ(::stat(base.file("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST(OwnFolderTest, nothing_else_is_taken_for_one) {
  const TempFolder base;
  std::filesystem::create_directory(base.file("open"));
  std::filesystem::permissions(base.file("open"), std::filesystem::perms(0750));
  std::filesystem::create_directory_symlink(base.path(), base.file("link"));
  {
    const std::ofstream file(base.file("file"));
  }
  for (const char* name : {"open", "link", "file"}) {
    const auto folder = open_own_folder(base.file(name));
    ASSERT_FALSE(folder) << name;
    EXPECT_EQ(folder.error().code(), ErrorCode::invalid_argument) << name;
  }
  EXPECT_EQ(open_own_folder(base.file("no/where")).error().code(), ErrorCode::io);
  if (::geteuid() != 0) {
    EXPECT_EQ(open_own_folder("/").error().code(), ErrorCode::invalid_argument);
  }
}

}  // namespace
}  // namespace pi_mcp::io
