// The metadata cache on a real file system, alone and with many processes.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "catalog/cache_file.h"
#include "io/files/file.h"
#include "test_programs.h"

namespace pi_mcp::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr EpochMs now{1'800'000'000'000};

class CacheOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "pi-mcp-cache-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    agent_dir = pattern + "/agent";
    log::set_sink([this](log::Level, std::string_view text) { logged.emplace_back(text); });
  }
  void TearDown() override {
    log::set_sink(nullptr);
    std::filesystem::remove_all(std::filesystem::path(agent_dir).parent_path());
  }

  [[nodiscard]] std::string path() const { return agent_dir + "/mcp-cache.json"; }
  [[nodiscard]] std::string text() const {
    return io::read_file(path()).value().value_or("(no file)");
  }
  void write(std::string_view text) const { ASSERT_TRUE(io::write_file(path(), text)); }

  static CacheEntry entry(const std::string& hash) {
    CacheEntry made;
    made.identity.own = hash;
    made.cached_at = now;
    made.listing.tools.emplace_back().name = "tool";
    return made;
  }

  bool save(const std::string& server) {
    CacheFile file(agent_dir);
    file.put(server, entry("h"));
    return file.flush();
  }

  bool knows(const std::string& server, const std::string& hash = "h") {
    return CacheFile(agent_dir).find(server, hash, now).has_value();
  }

  std::string agent_dir;
  std::vector<std::string> logged;
};

TEST_F(CacheOnDisk, no_file_is_the_first_run_and_creating_it_ends_that) {
  CacheFile file(agent_dir);
  EXPECT_FALSE(file.exists());
  EXPECT_FALSE(file.find("s", "h", now));
  EXPECT_FALSE(std::filesystem::exists(agent_dir));
  EXPECT_TRUE(file.create());
  EXPECT_EQ(text(), "{\"version\":1,\"servers\":{}}\n");
  EXPECT_TRUE(CacheFile(agent_dir).exists());
  EXPECT_THAT(logged, ElementsAre());
}

TEST_F(CacheOnDisk, creating_leaves_a_cache_that_another_process_made_meanwhile) {
  CacheFile file(agent_dir);
  EXPECT_FALSE(file.exists());
  EXPECT_TRUE(save("s"));
  EXPECT_TRUE(file.create());
  EXPECT_TRUE(knows("s"));
}

TEST_F(CacheOnDisk, what_was_put_is_saved_in_one_update_and_found_by_the_next_session) {
  CacheFile file(agent_dir);
  file.put("a", entry("old"));
  file.put("b", entry("h"));
  file.put("a", entry("h"));
  EXPECT_TRUE(file.has_unsaved());
  EXPECT_TRUE(file.flush());
  EXPECT_FALSE(file.has_unsaved());
  EXPECT_TRUE(knows("a"));
  EXPECT_TRUE(knows("b"));
  EXPECT_FALSE(knows("a", "old"));
}

TEST_F(CacheOnDisk, a_change_within_one_tick_of_the_clock_is_seen) {
  ASSERT_TRUE(save("a"));
  const auto saved_at = std::filesystem::last_write_time(path());
  CacheFile file(agent_dir);
  EXPECT_FALSE(file.find("b", "h", now));
  EXPECT_FALSE(file.refresh());
  ASSERT_TRUE(save("b"));
  std::filesystem::last_write_time(path(), saved_at);
  EXPECT_TRUE(file.refresh());
  EXPECT_TRUE(file.find("b", "h", now));
}

TEST_F(CacheOnDisk, the_file_and_its_folder_belong_to_the_user_alone) {
  ASSERT_TRUE(save("s"));
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(agent_dir.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(CacheOnDisk, two_sessions_with_different_servers_keep_both_entries) {
  CacheFile first(agent_dir);
  CacheFile second(agent_dir);
  EXPECT_FALSE(first.find("one", "h", now));
  EXPECT_FALSE(second.find("two", "h", now));
  first.put("one", entry("h"));
  second.put("two", entry("h"));
  EXPECT_TRUE(first.flush());
  EXPECT_TRUE(second.flush());
  EXPECT_TRUE(knows("one"));
  EXPECT_TRUE(knows("two"));
}

TEST_F(CacheOnDisk, an_unchanged_entry_does_not_touch_the_file) {
  ASSERT_TRUE(save("s"));
  struct stat before{};
  ASSERT_EQ(::stat(path().c_str(), &before), 0);
  ASSERT_TRUE(save("s"));
  struct stat after{};
  ASSERT_EQ(::stat(path().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(CacheOnDisk, garbage_counts_as_a_file_knows_nothing_and_is_rewritten) {
  write("garbage");
  EXPECT_TRUE(CacheFile(agent_dir).exists());
  EXPECT_FALSE(knows("s"));
  EXPECT_TRUE(save("s"));
  EXPECT_TRUE(knows("s"));
  EXPECT_THAT(logged, ElementsAre());
}

TEST_F(CacheOnDisk, a_newer_file_is_left_alone_and_said_once) {
  write("{\"version\":2}");
  CacheFile file(agent_dir);
  file.put("s", entry("h"));
  EXPECT_FALSE(file.flush());
  EXPECT_FALSE(file.flush());
  EXPECT_EQ(text(), "{\"version\":2}");
  EXPECT_THAT(logged, ElementsAre(HasSubstr("belongs to a newer version")));
}

TEST_F(CacheOnDisk, a_failed_write_is_a_warning_and_the_entries_wait_for_the_next) {
  std::ofstream(agent_dir) << "a file where the folder should be";
  CacheFile file(agent_dir);
  file.put("s", entry("h"));
  EXPECT_FALSE(file.flush());
  EXPECT_TRUE(file.has_unsaved());
  EXPECT_THAT(logged, ElementsAre(HasSubstr("was not saved")));
  std::filesystem::remove(agent_dir);
  EXPECT_TRUE(file.flush());
  EXPECT_TRUE(knows("s"));
}

TEST_F(CacheOnDisk, a_path_that_cannot_be_read_knows_nothing_and_is_no_first_run) {
  std::filesystem::create_directories(path());
  CacheFile file(agent_dir);
  EXPECT_TRUE(file.exists());
  EXPECT_FALSE(file.find("s", "h", now));
  EXPECT_THAT(logged, ElementsAre(HasSubstr("cannot be used")));
}

// Writers that are started together: they wait until their stdin ends.
class Writers {
 public:
  Writers() { EXPECT_EQ(::pipe2(start_.data(), O_CLOEXEC), 0); }

  void add(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PI_MCP_CACHE_WRITER);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, start_[0], STDIN_FILENO);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ), 0);
    ::posix_spawn_file_actions_destroy(&actions);
    children_.push_back(child);
  }

  // Lets them go and gives the number of those that saved everything.
  int run() {
    ::close(start_[0]);
    ::close(start_[1]);
    int succeeded = 0;
    for (const pid_t child : children_) {
      int status = 0;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      succeeded += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
    }
    return succeeded;
  }

 private:
  std::array<int, 2> start_{};
  std::vector<pid_t> children_;
};

TEST_F(CacheOnDisk, twenty_processes_that_write_at_once_lose_nothing) {
  constexpr int processes = 20;
  constexpr int entries_each = 5;
  write(R"({"version":1,"mine":true,"servers":{"other":{"configHash":"h","tools":[],)"
        R"("cachedAt":1800000000000}}})");
  Writers writers;
  for (int i = 0; i < processes; ++i) {
    writers.add({agent_dir, "writer" + std::to_string(i), std::to_string(entries_each)});
  }
  EXPECT_EQ(writers.run(), processes);
  CacheFile file(agent_dir);
  for (int i = 0; i < processes * entries_each; ++i) {
    const std::string name =
        "writer" + std::to_string(i / entries_each) + "-" + std::to_string(i % entries_each);
    EXPECT_TRUE(file.find(name, name, now)) << name;
  }
  EXPECT_TRUE(file.find("other", "h", now));
  EXPECT_THAT(text(), HasSubstr(R"("mine":true)"));
  // The cache, its lock, and no temporary file.
  const std::filesystem::directory_iterator files(agent_dir);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

}  // namespace
}  // namespace pi_mcp::catalog
