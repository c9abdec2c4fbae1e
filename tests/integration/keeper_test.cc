// The process above a server: what it costs, and that nothing is left of its server whichever way
// something ends, also where it could not become a program of a few pages.
#include "io/process/keeper.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "io/process/process.h"
#include "io/process/process_tree.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::io {
namespace {

using test::eventually;
using test::is_alive;
using test::TempFolder;

constexpr CloseTimes no_time{.after_input_end = Milliseconds(0),
                             .after_terminate = Milliseconds(0)};

Command command(std::string program, std::vector<std::string> arguments) {
  return {.program = std::move(program),
          .arguments = std::move(arguments),
          .environment = process_environment(),
          .folder = "/"};
}

std::string file_of(int process) {
  std::error_code gone;
  return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", gone).string();
}

int parent_of(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    int parent = 0;
    if (word == "PPid:" && status >> parent) {
      return parent;
    }
  }
  return 0;
}

bool is_light(int keeper) {
  return file_of(keeper).starts_with("/memfd:");
}

// In KiB.
int memory_of(int process) {
  std::ifstream map("/proc/" + std::to_string(process) + "/smaps_rollup");
  for (std::string word; map >> word;) {
    int amount = 0;
    if (word == "Pss:" && map >> amount) {
      return amount;
    }
  }
  return -1;
}

std::vector<std::string> open_files_of(int process) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    files.push_back(std::filesystem::read_symlink(entry.path()).string());
  }
  std::ranges::sort(files);
  return files;
}

Task<int> look_at_a_keeper(Executor /*executor*/) {
  auto process = co_await Process::start(command(PI_MCP_FAKE_SERVER, {}));
  const int keeper = parent_of(process.value()->id());
  EXPECT_TRUE(co_await eventually([&] { return is_light(keeper); })) << file_of(keeper);
  const auto waits = [&] {
    return open_files_of(keeper).size() == 5;
  };
  EXPECT_TRUE(co_await eventually(waits));
  EXPECT_LE(memory_of(keeper), 64);
  EXPECT_GT(memory_of(keeper), 0);
  const std::vector<std::string> files = open_files_of(keeper);
  EXPECT_EQ(std::ranges::count(files, "/dev/null"), 3);
  EXPECT_EQ(std::ranges::count(files, "anon_inode:[signalfd]"), 1);
  std::ifstream name("/proc/" + std::to_string(keeper) + "/comm");
  std::string text;
  std::getline(name, text);
  EXPECT_EQ(text, keeper_name);
  EXPECT_EQ(tree_use(process.value()->id())->processes, 2U);
  co_await process.value()->close();
  EXPECT_FALSE(is_alive(keeper));
  co_return 0;
}

TEST(Keeper, is_a_few_pages_and_has_no_file_of_the_server) {
  run(look_at_a_keeper);
}

// Statuses that come while the keeper becomes another program, 100 ms after the start, are not
// lost.
Task<int> end_soon(Executor /*executor*/) {
  for (int i = 0; i < 40; ++i) {
    auto process = co_await Process::start(command(
        "sh", {"-c", "timeout 0.0" + std::to_string(80 + i / 2) + " tail -f /dev/null; exit 3"}));
    const auto status = co_await process.value()->wait_exit();
    EXPECT_TRUE(status);
    EXPECT_EQ(status ? status->text() : status.error().message(), "exited with status 3");
    co_await process.value()->close();
  }
  EXPECT_TRUE(test::child_processes().empty());
  co_return 0;
}

TEST(Keeper, reports_a_server_that_ends_while_it_becomes_light) {
  run(end_soon);
}

Task<int> kill_keepers_early(Executor /*executor*/) {
  for (int i = 0; i < 50; ++i) {
    auto process = co_await Process::start(command("sh", {"-c", "trap '' TERM; exec tail -f"}));
    const int server = process.value()->id();
    (void)::kill(parent_of(server), SIGKILL);
    const auto status = co_await process.value()->wait_exit();
    EXPECT_FALSE(status);
    EXPECT_FALSE(is_alive(server));
    co_await process.value()->close();
  }
  EXPECT_TRUE(test::child_processes().empty());
  co_return 0;
}

TEST(Keeper, may_be_killed_at_once) {
  run(kill_keepers_early);
}

// What a server is made of here: it ignores its end and SIGTERM; a child, one in a session of its
// own, and a daemon that has lost its parents.
constexpr const char* stubborn = R"(
trap '' TERM HUP
echo $$ >> "$1"
sh -c 'echo $$ >> "$1"; exec tail -f /dev/null' child "$1" &
setsid sh -c 'echo $$ >> "$1"; exec tail -f /dev/null' session "$1" &
(setsid sh -c '(sh -c "echo \$\$ >> \"$1\"; exec tail -f /dev/null" daemon "$1" &)' between "$1" &)
exec tail -f /dev/null
)";
constexpr std::size_t stubborn_processes = 4;

enum class End : std::uint8_t { closed, we_are_killed, keeper_is_killed, server_is_killed };

struct Case {
  const char* name;
  bool light;
  End end;
};

class EndOfAServer : public testing::TestWithParam<Case> {};

// A process of its own that has the server, so that it can be killed, and confined.
Task<int> see_the_end(Case what, const TempFolder* folder) {
  std::vector<std::string> arguments = {"sh", "-c", stubborn, "server", folder->file("pids")};
  if (!what.light) {
    arguments.insert(arguments.begin(), "--cannot-execute-memory");
  }
  auto parent = co_await Process::start(command(PI_MCP_KEEPER_PARENT, arguments));
  const auto all_started = [&] {
    return folder->numbers("pids").size() == stubborn_processes;
  };
  EXPECT_TRUE(co_await eventually(all_started));
  std::vector<int> all = folder->numbers("pids");
  const int us = parent.value()->id();
  const auto is_of_us = [&](int server) {
    return parent_of(parent_of(server)) == us;
  };
  const auto server = std::ranges::find_if(all, is_of_us);
  EXPECT_NE(server, all.end());
  const int keeper = parent_of(*server);
  EXPECT_TRUE(co_await eventually([&] { return is_light(keeper) == what.light; }));
  // Out of reach of the keeper above `us`, which would clean up as well: it is stopped.
  const int outer = parent_of(us);
  (void)::kill(outer, SIGSTOP);
  (void)::kill(what.end == End::keeper_is_killed   ? keeper
               : what.end == End::server_is_killed ? *server
                                                   : us,
               what.end == End::closed ? SIGTERM : SIGKILL);
  all.push_back(keeper);
  const auto all_gone = [&] {
    return std::ranges::none_of(all, is_alive);
  };
  EXPECT_TRUE(co_await eventually(all_gone));
  const bool lives = what.end == End::keeper_is_killed || what.end == End::server_is_killed;
  EXPECT_TRUE(co_await eventually([&] { return is_alive(us) == lives; }));
  (void)::kill(outer, SIGCONT);
  co_await parent.value()->close(no_time);
  co_return 0;
}

TEST_P(EndOfAServer, leaves_nothing) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return see_the_end(GetParam(), &folder); });
}

INSTANTIATE_TEST_SUITE_P(
    Keeper,
    EndOfAServer,
    testing::Values(Case{"closed", true, End::closed},
                    Case{"we_are_killed", true, End::we_are_killed},
                    Case{"keeper_is_killed", true, End::keeper_is_killed},
                    Case{"server_is_killed", true, End::server_is_killed},
                    Case{"closed_above_a_copy", false, End::closed},
                    Case{"we_are_killed_above_a_copy", false, End::we_are_killed},
                    Case{"copy_is_killed", false, End::keeper_is_killed},
                    Case{"server_of_a_copy_is_killed", false, End::server_is_killed}),
    [](const testing::TestParamInfo<Case>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pi_mcp::io
