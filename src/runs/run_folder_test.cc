#include "runs/run_folder.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/identity.h"
#include "io/files/file.h"

namespace pi_mcp::runs {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;
using testing::SizeIs;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/pi-mcp-run-XXXXXX";
    agent_dir = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(agent_dir); }

  [[nodiscard]] RunFolder folder() const { return RunFolder(agent_dir); }
  [[nodiscard]] std::vector<RunFolder::Run> runs() const { return folder().runs({10'000}); }

  static config::Server configured(const std::string& name, const std::string& command = "run") {
    config::Server server;
    server.name = name;
    server.entry_json = R"({"command":")" + command + "\"}";
    return server;
  }
  [[nodiscard]] std::optional<LastRun> last_run(const std::string& name) const {
    return folder().last_run(configured(name));
  }
  static LastRun ended(const config::Server& server, std::string error, std::string words = {}) {
    return {.server = server.name,
            .identity = config::entry_identity(server),
            .client = "",
            .cwd = "",
            .error = std::move(error),
            .stderr_tail = std::move(words),
            .ended_at = {}};
  }
  static RunRecord record_of(const std::string& server) {
    RunServer used;
    used.status.name = server;
    used.status.state = servers::ServerStatus::State::connected;
    used.status.last_error = "it was slow";
    used.identity = config::entry_identity(configured(server));
    used.log = 1;
    return {.process_id = 1, .client = "host", .cwd = "/w", .started_at = {}, .servers = {used}};
  }

  using Change = std::function<void(RunServer&)>;
  [[nodiscard]] OwnRun open(const std::string& server, const Change& change = {}) const {
    Result<OwnRun> own = OwnRun::open(folder());
    EXPECT_TRUE(own.has_value());
    EXPECT_TRUE(own->write_log(1, server + " says\nthis"));
    RunRecord record = record_of(server);
    if (change) {
      change(record.servers.front());
    }
    EXPECT_TRUE(own->write(record, {9'000}));
    return *std::move(own);
  }

  // What a process leaves that is killed.
  void leave_behind(const std::string& server, const Change& change = {}) const {
    OwnRun own = open(server, change);
    fs::copy(folder().path(), agent_dir + "/copy");
    own.remove();
    fs::remove_all(folder().path());
    fs::rename(agent_dir + "/copy", folder().path());
  }

  static unsigned mode_of(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
  }

  std::string agent_dir;
};

TEST_F(RunFolderTest, has_nothing_when_nothing_runs) {
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_EQ(last_run("a"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder().path()));
}

TEST_F(RunFolderTest, shows_who_lives_with_the_last_words_of_each_server) {
  OwnRun a = open("a");
  OwnRun b = open("b");
  const std::vector<RunFolder::Run> found = runs();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(folder().log(found[0], found[0].record.servers[0]),
            found[0].record.servers[0].status.name + " says\nthis");
  a.remove();
  EXPECT_THAT(runs(), SizeIs(1));
  b.remove();
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_THAT(io::names_in(folder().path()), IsEmpty());
}

TEST_F(RunFolderTest, only_its_owner_may_read_it) {
  OwnRun a = open("a");
  EXPECT_EQ(mode_of(folder().path()), 0700U);
  for (const std::string& name : io::names_in(folder().path())) {
    EXPECT_EQ(mode_of(folder().path() + "/" + name), 0600U) << name;
  }
  a.remove();
}

TEST_F(RunFolderTest, what_a_killed_process_left_is_taken_away_and_its_last_words_are_kept) {
  leave_behind("a");
  EXPECT_THAT(io::names_in(folder().path()), SizeIs(3)) << "record, log and lock";
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_THAT(io::names_in(folder().path()), testing::ElementsAre("last"));
  const std::optional<LastRun> last = last_run("a");
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->stderr_tail, "a says\nthis");
  EXPECT_EQ(last->error, "it was slow");
  EXPECT_EQ(last->client, "host");
  EXPECT_GT(last->ended_at.value, 0);
}

TEST_F(RunFolderTest, a_damaged_record_is_not_shown) {
  OwnRun a = open("a");
  const std::vector<RunFolder::Run> found = runs();
  ASSERT_THAT(found, SizeIs(1));
  std::ofstream(folder().record_path(found[0].id)) << "{";
  EXPECT_THAT(runs(), IsEmpty());
  a.remove();
}

TEST_F(RunFolderTest, keeps_one_last_run_a_server_and_only_so_many) {
  const auto save = [this](const std::string& server, const std::string& words) {
    folder().save(ended(configured(server), "", words));
  };
  save("a/../b", "first");
  save("a/../b", "second");
  EXPECT_EQ(last_run("a/../b")->stderr_tail, "second");
  save("quiet", "");
  EXPECT_EQ(last_run("quiet"), std::nullopt);
  for (std::size_t i = 0; i < RunFolder::last_runs_max + 5; ++i) {
    save("server " + std::to_string(i), "x");
  }
  EXPECT_THAT(io::names_in(folder().path() + "/last"), SizeIs(RunFolder::last_runs_max));
  EXPECT_EQ(mode_of(folder().path() + "/last"), 0700U);
}

TEST_F(RunFolderTest, a_last_run_is_forgotten_after_a_week) {
  folder().save(ended(configured("old"), "e"));
  fs::create_directories(folder().path() + "/last");
  std::ofstream(folder().path() + "/last/of-0.1.0.json")
      << R"({"version":1,"server":"old","error":"e","stderr":"","endedAt":0})";
  for (const std::string& name : io::names_in(folder().path() + "/last")) {
    const fs::path file = folder().path() + "/last/" + name;
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(24 * 8));
  }
  folder().save(ended(configured("new"), "e"));
  EXPECT_EQ(last_run("old"), std::nullopt);
  EXPECT_TRUE(last_run("new").has_value());
  EXPECT_THAT(io::names_in(folder().path() + "/last"), SizeIs(1));
}

TEST_F(RunFolderTest, servers_of_one_name_that_start_something_else_do_not_see_each_other) {
  const config::Server ours = configured("github");
  const config::Server other = configured("github", "other");
  config::Server projects = ours;
  projects.origin = {.path = "/p/.mcp.json", .import_kind = {}, .project = true};
  folder().save(ended(ours, "it broke"));
  EXPECT_EQ(folder().last_run(ours)->error, "it broke");
  EXPECT_EQ(folder().last_run(other), std::nullopt);
  EXPECT_EQ(folder().last_run(projects), std::nullopt);
  folder().save(ended(other, ""));
  EXPECT_TRUE(folder().last_run(ours).has_value());
  EXPECT_EQ(folder().newest_run("github")->error, "it broke");
  folder().forget(ours);
  EXPECT_EQ(folder().last_run(ours), std::nullopt);
}

TEST_F(RunFolderTest, what_0_1_0_wrote_of_a_last_run_says_nothing_of_a_server) {
  fs::create_directories(folder().path() + "/last");
  // sha256("a"), as that version named the file.
  std::ofstream(folder().path() + "/last/ca978112ca1bbdcafac231b39a23dc4d.json")
      << R"({"version":1,"server":"a","error":"it broke","stderr":"","endedAt":0})";
  EXPECT_EQ(last_run("a"), std::nullopt);
}

TEST_F(RunFolderTest, a_killed_process_whose_server_had_come_back_leaves_no_failure) {
  leave_behind("a", [](RunServer& server) { server.status.recovered = true; });
  EXPECT_THAT(runs(), IsEmpty());
  EXPECT_EQ(last_run("a")->error, "");
  EXPECT_EQ(last_run("a")->stderr_tail, "a says\nthis");
}

}  // namespace
}  // namespace pi_mcp::runs
