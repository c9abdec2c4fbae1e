#include "io/files/file_lock.h"

#include <chrono>
#include <filesystem>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""ms;

class FileLockTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder = testing::TempDir() + "/file-lock-" + random_hex(8);
  std::string path = folder + "/deep/x.lock";
};

TEST_F(FileLockTest, only_one_holds_it_and_it_is_free_afterwards) {
  {
    const auto first = FileLock::try_take(path);
    ASSERT_TRUE(first && *first);
    const auto second = FileLock::try_take(path);
    ASSERT_TRUE(second);
    EXPECT_FALSE(*second);
  }
  const auto third = FileLock::try_take(path);
  EXPECT_TRUE(third && *third);
}

TEST_F(FileLockTest, a_folder_that_cannot_be_made_is_an_error) {
  EXPECT_EQ(FileLock::try_take("/proc/none/x.lock").error().code(), ErrorCode::io);
}

Task<int> wait_in_vain(std::string path) {
  const auto lock = co_await take_lock(std::move(path), 5ms);
  EXPECT_FALSE(lock);
  EXPECT_EQ(lock.error().code(), ErrorCode::timed_out);
  co_return 0;
}

TEST_F(FileLockTest, waiting_for_it_has_an_end) {
  const auto held = FileLock::try_take(path);
  ASSERT_TRUE(held && *held);
  run([this](const Executor&) { return wait_in_vain(path); });
}

Task<void> hold_a_moment(std::string path, int* holders, int* most) {
  const auto lock = co_await take_lock(std::move(path), 20'000ms);
  EXPECT_TRUE(lock);
  *most = std::max(*most, ++*holders);
  co_await boost::asio::post(boost::asio::use_awaitable);  // the others may run now
  --*holders;
}

Task<int> take_turns(Executor executor, std::string path) {
  int holders = 0;
  int most = 0;
  TaskGroup tasks(executor);
  for (int i = 0; i < 10; ++i) {
    tasks.spawn("holder", hold_a_moment(path, &holders, &most), io::log_only);
  }
  co_await tasks.join();
  EXPECT_EQ(most, 1);
  co_return 0;
}

TEST_F(FileLockTest, tasks_of_one_process_take_turns) {
  run([this](const Executor& executor) { return take_turns(executor, path); });
}

}  // namespace
}  // namespace pi_mcp::io
