// Real processes: how they start, how they end, and that nothing of them is left.
#include "io/process/process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "io/process/executable.h"
#include "io/process/process_limits.h"
#include "io/process/process_tree.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::io {
namespace {

using test::eventually;
using test::is_alive;
using test::TempFolder;

Command shell(std::string script) {
  return {.program = "sh",
          .arguments = {"-c", std::move(script)},
          .environment = process_environment(),
          .folder = "/"};
}

Command fake_server(std::vector<std::string> options) {
  return {.program = PI_MCP_FAKE_SERVER,
          .arguments = std::move(options),
          .environment = process_environment(),
          .folder = "/"};
}

constexpr CloseTimes no_time{.after_input_end = Milliseconds(0),
                             .after_terminate = Milliseconds(0)};
constexpr CloseTimes brief{.after_input_end = Milliseconds(100),
                           .after_terminate = Milliseconds(100)};

Task<std::string> read_all(ReadStream* stream) {
  std::string text;
  std::string space(4096, '\0');
  for (;;) {
    const auto count = co_await stream->read_some(space);
    if (!count || *count == 0) {
      co_return text;
    }
    text.append(space, 0, *count);
  }
}

struct Outcome {
  std::string error;   // of the start
  ErrorCode code{};    // of the error
  std::string status;  // how it ended
  std::string output;
};

Task<Outcome> run_command(Command command) {
  Outcome outcome;
  auto process = co_await Process::start(std::move(command));
  if (!process) {
    outcome.error = process.error().message();
    outcome.code = process.error().code();
    co_return outcome;
  }
  outcome.output = co_await read_all(&(*process)->output());
  const auto status = co_await (*process)->wait_exit();
  outcome.status = status ? status->text() : status.error().message();
  co_await (*process)->close();
  co_return outcome;
}

Outcome outcome_of(const Command& command) {
  return run([&](const Executor& /*executor*/) { return run_command(command); });
}

void write_program(const std::string& path, std::string_view text, mode_t mode = 0755) {
  std::ofstream(path) << text;
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

TEST(Process, a_missing_program_is_named_without_the_path_that_was_searched) {
  Command command = shell("");
  command.program = "no-such-program";
  command.environment["PATH"] = "/nowhere:/usr/bin";
  const Outcome outcome = outcome_of(command);
  EXPECT_EQ(outcome.code, ErrorCode::not_found);
  EXPECT_EQ(outcome.error,
            "command no-such-program not found in PATH: install it or give its full path");
  command.program = "/nowhere/program";
  EXPECT_EQ(outcome_of(command).error, "cannot run /nowhere/program: no such file");
}

TEST(Process, a_program_that_cannot_be_run_says_why) {
  const TempFolder folder;
  write_program(folder.file("plain"), "#!/bin/sh\n", 0644);
  write_program(folder.file("lost"), "#!/nowhere/interpreter\n");
  write_program(folder.file("binary"), std::string_view("\x01\x02\x00\x03", 4));
  Command command = shell("");
  command.folder = folder.path();
  const std::string start = "cannot run " + folder.path();
  command.program = "./plain";
  EXPECT_EQ(outcome_of(command).error, start + "/./plain: it is not executable");
  command.program = folder.path();
  EXPECT_EQ(outcome_of(command).error, start + ": it is a folder");
  command.program = "./lost";
  EXPECT_EQ(outcome_of(command).error,
            start + "/./lost: its interpreter /nowhere/interpreter does not exist");
  command.program = "./binary";
  EXPECT_EQ(outcome_of(command).error, start + "/./binary: it is not a program for this machine");
  command.program = "plain";
  command.environment["PATH"] = folder.path();
  EXPECT_EQ(outcome_of(command).error, start + "/plain: it is not executable");
}

TEST(Process, a_missing_working_directory_is_named) {
  Command command = shell("");
  command.folder = "/nowhere";
  const Outcome outcome = outcome_of(command);
  EXPECT_EQ(outcome.code, ErrorCode::invalid_argument);
  EXPECT_EQ(outcome.error, "the working directory /nowhere does not exist");
}

TEST(Process, a_null_character_in_the_command_is_refused) {
  EXPECT_EQ(outcome_of(shell(std::string("a\0b", 3))).code, ErrorCode::invalid_argument);
}

TEST(Process, a_child_is_bound_as_the_process_of_its_session) {
  Command command = shell("umask; nice; ulimit -Sn; ulimit -Hn; ulimit -c");
  command.traits = own_traits();
  command.traits->umask = 027;
  command.traits->niceness += 3;
  command.traits->limits.at(open_files_resource) = {.soft = 64, .hard = 128};
  command.traits->limits.at(RLIMIT_CORE).soft = 0;
  EXPECT_EQ(outcome_of(command).output,
            "0027\n" + std::to_string(own_traits().niceness + 3) + "\n64\n128\n0\n");
}

TEST(Process, a_child_is_never_less_bound_than_this_process) {
  Command tight = shell("exec sh -c 'ulimit -Hn'");
  tight.traits = own_traits();
  ResourceLimit& files = tight.traits->limits.at(open_files_resource);
  files.soft = 64;
  files.hard = own_traits().limits.at(open_files_resource).hard;
  const std::string own = outcome_of(tight).output;
  files.hard = ~std::uint64_t{0};  // needs privilege, and its lack is no error
  EXPECT_EQ(outcome_of(tight).output, own);
}

TEST(Process, the_path_of_the_child_decides_and_scripts_without_interpreter_run) {
  const TempFolder folder;
  write_program(folder.file("hello"), "echo hello $1 from $PWD in $MODE\n");
  const Outcome outcome = outcome_of({.program = "hello",
                                      .arguments = {"you"},
                                      .environment = {{"PATH", folder.path()}, {"MODE", "test"}},
                                      .folder = folder.path()});
  EXPECT_EQ(outcome.output, "hello you from " + folder.path() + " in test\n");
}

TEST(Process, ends_are_told_apart) {
  EXPECT_EQ(outcome_of(shell("exit 0")).status, "exited with status 0");
  EXPECT_EQ(outcome_of(shell("exit 7")).status, "exited with status 7");
  EXPECT_EQ(outcome_of(shell("kill -KILL $$")).status, "killed by SIGKILL");
  EXPECT_EQ(outcome_of(shell("kill -TERM $$")).status, "killed by SIGTERM");
}

TEST(Process, the_child_has_only_its_three_files_and_default_signals) {
  (void)::signal(SIGPIPE, SIG_IGN);
  const Outcome outcome = outcome_of(shell(
      "ls /proc/self/fd | wc -l; grep -E 'Sig(Ign|Blk)' /proc/self/status; ps -o pid=,pgid= $$"));
  (void)::signal(SIGPIPE, SIG_DFL);
  // ls itself has the folder open as a fourth.
  EXPECT_NE(outcome.output.find("4\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000"),
            std::string::npos)
      << outcome.output;
}

Task<int> watch_work(Executor /*executor*/) {
  auto process = co_await Process::start(shell("sh -c 'while :; do :; done'; true"));
  const int id = process.value()->id();
  const std::uint64_t before = work_of_tree(id);
  EXPECT_TRUE(co_await eventually([&] { return work_of_tree(id) > before + 5; }));
  co_await process.value()->close(no_time);
  EXPECT_EQ(work_of_tree(id), 0U);
  co_return 0;
}

TEST(Process, work_of_a_child_of_the_program_is_seen) {
  run(watch_work);
}

Task<int> close_quietly(Executor /*executor*/) {
  const TimePoint start = now();
  auto process = co_await Process::start(fake_server({}));
  // A Ctrl-C in our terminal does not reach it (cli_test.py types one).
  EXPECT_EQ(::getpgid(process.value()->id()), process.value()->id());
  co_await process.value()->close();
  EXPECT_EQ(process.value()->exit_status()->text(), "exited with status 0");
  EXPECT_FALSE(is_alive(process.value()->id()));
  EXPECT_LT(now() - start, Milliseconds(1900));  // no step waited for its limit
  co_await process.value()->close();
  co_return 0;
}

TEST(Process, closing_a_server_that_heeds_the_end_of_its_input_takes_no_time) {
  run(close_quietly);
}

Task<int> close_stubborn(const TempFolder* folder) {
  auto process = co_await Process::start(fake_server({"--ignore-eof",
                                                      "--ignore-sigterm",
                                                      "--grandchild",
                                                      "--escaped-grandchild",
                                                      "--pid-file",
                                                      folder->file("pids")}));
  const auto all_started = [&] {
    return folder->numbers("pids").size() == 3;
  };
  EXPECT_TRUE(co_await eventually(all_started));
  co_await process.value()->close(brief);
  EXPECT_EQ(process.value()->exit_status()->text(), "killed by SIGKILL");
  for (const int id : folder->numbers("pids")) {
    EXPECT_FALSE(is_alive(id));
  }
  co_return 0;
}

TEST(Process, a_server_that_ignores_everything_is_killed_with_its_grandchildren) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return close_stubborn(&folder); });
}

Task<int> close_terminable(const TempFolder* folder) {
  auto process =
      co_await Process::start(fake_server({"--ignore-eof", "--pid-file", folder->file("pids")}));
  const auto started = [&] {
    return folder->numbers("pids").size() == 1;
  };
  EXPECT_TRUE(co_await eventually(started));
  co_await process.value()->close({.after_input_end = Milliseconds(50)});
  EXPECT_EQ(process.value()->exit_status()->text(), "killed by SIGTERM");
  co_return 0;
}

TEST(Process, a_server_that_ignores_the_end_of_its_input_gets_sigterm) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return close_terminable(&folder); });
}

Task<int> leave_orphans(const TempFolder* folder) {
  auto process = co_await Process::start(fake_server({"--exit-at",
                                                      "start",
                                                      "--grandchild",
                                                      "--escaped-grandchild",
                                                      "--pid-file",
                                                      folder->file("pids")}));
  const auto status = co_await process.value()->wait_exit();
  EXPECT_EQ(status->text(), "exited with status 1");
  EXPECT_EQ(folder->numbers("pids").size(), 3U);
  const auto all_gone = [&] {
    const auto ids = folder->numbers("pids");
    return std::none_of(ids.begin(), ids.end(), is_alive);
  };
  EXPECT_TRUE(co_await eventually(all_gone));
  co_await process.value()->close();
  co_return 0;
}

TEST(Process, what_a_server_leaves_behind_when_it_exits_is_ended) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return leave_orphans(&folder); });
}

Task<int> kill_us(const TempFolder* folder) {
  auto parent = co_await Process::start({.program = PI_MCP_KEEPER_PARENT,
                                         .arguments = {PI_MCP_FAKE_SERVER,
                                                       "--ignore-eof",
                                                       "--ignore-sigterm",
                                                       "--grandchild",
                                                       "--escaped-grandchild",
                                                       "--pid-file",
                                                       folder->file("pids")},
                                         .environment = process_environment(),
                                         .folder = "/"});
  const auto all_started = [&] {
    return folder->numbers("pids").size() == 3;
  };
  EXPECT_TRUE(co_await eventually(all_started));
  // Out of reach of our own keeper, which would clean up as well: it is stopped.
  const auto keepers = test::child_processes();
  for (const int keeper : keepers) {
    (void)::kill(keeper, SIGSTOP);
  }
  (void)::kill(parent.value()->id(), SIGKILL);
  const auto all_gone = [&] {
    const auto ids = folder->numbers("pids");
    return std::none_of(ids.begin(), ids.end(), is_alive);
  };
  EXPECT_TRUE(co_await eventually(all_gone));
  for (const int keeper : keepers) {
    (void)::kill(keeper, SIGCONT);
  }
  co_await parent.value()->close();
  co_return 0;
}

TEST(Process, killing_us_leaves_neither_server_nor_grandchildren) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return kill_us(&folder); });
}

Task<int> kill_keeper(const TempFolder* folder) {
  auto process = co_await Process::start(fake_server(
      {"--ignore-eof", "--ignore-sigterm", "--grandchild", "--pid-file", folder->file("pids")}));
  const auto all_started = [&] {
    return folder->numbers("pids").size() == 2;
  };
  EXPECT_TRUE(co_await eventually(all_started));
  for (const int keeper : test::child_processes()) {
    (void)::kill(keeper, SIGKILL);
  }
  const auto status = co_await process.value()->wait_exit();
  EXPECT_EQ(status.error().code(), ErrorCode::unavailable);
  const auto all_gone = [&] {
    const auto ids = folder->numbers("pids");
    return std::none_of(ids.begin(), ids.end(), is_alive);
  };
  EXPECT_TRUE(co_await eventually(all_gone));
  co_await process.value()->close();
  co_return 0;
}

TEST(Process, killing_the_keeper_ends_its_server_and_the_group) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return kill_keeper(&folder); });
}

// A server whose descendant has left its group and session, beside one that must stay.
Task<int> kill_keeper_of_an_escaped_one(const TempFolder* folder) {
  auto other = co_await Process::start(fake_server({"--pid-file", folder->file("other")}));
  const auto other_keepers = test::child_processes();
  auto process = co_await Process::start(fake_server({"--ignore-eof",
                                                      "--ignore-sigterm",
                                                      "--escaped-grandchild",
                                                      "--pid-file",
                                                      folder->file("pids")}));
  const auto all_started = [&] {
    return folder->numbers("pids").size() == 2 && folder->numbers("other").size() == 1;
  };
  EXPECT_TRUE(co_await eventually(all_started));
  for (const int keeper : test::child_processes()) {
    if (std::ranges::find(other_keepers, keeper) == other_keepers.end()) {
      (void)::kill(keeper, SIGKILL);
    }
  }
  const auto status = co_await process.value()->wait_exit();
  EXPECT_EQ(status.error().code(), ErrorCode::unavailable);
  // That says that nothing is left, and so there is no waiting here.
  for (const int id : folder->numbers("pids")) {
    EXPECT_FALSE(is_alive(id)) << id;
  }
  EXPECT_TRUE(is_alive(other.value()->id())) << "it is not of that keeper";
  EXPECT_EQ(test::child_processes(), other_keepers);
  co_await process.value()->close();
  co_await other.value()->close();
  co_return 0;
}

TEST(Process, killing_the_keeper_ends_who_has_left_the_group_as_well) {
  const TempFolder folder;
  run([&](const Executor& /*executor*/) { return kill_keeper_of_an_escaped_one(&folder); });
}

Task<void> start_and_drop(bool* was_cancelled) {
  auto process = co_await Process::start(fake_server({"--ignore-eof", "--ignore-sigterm"}));
  *was_cancelled = !process && process.error().code() == ErrorCode::cancelled;
  if (process) {
    co_await process.value()->close(no_time);
  }
}

Task<int> cancel_start(Executor executor) {
  TaskGroup group(executor);
  bool was_cancelled = false;
  group.spawn("starting", start_and_drop(&was_cancelled), io::log_only);
  group.cancel();
  co_await group.join();
  EXPECT_TRUE(was_cancelled);
  EXPECT_TRUE(test::child_processes().empty());
  co_return 0;
}

TEST(Process, a_cancelled_start_leaves_nothing) {
  run(cancel_start);
}

Task<int> many_cycles(Executor /*executor*/) {
  std::size_t files_before = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    auto process = co_await Process::start(shell("exec cat"));
    EXPECT_TRUE(process);
    co_await process.value()->close();
    if (cycle == 0) {
      files_before = test::open_files();
    }
  }
  EXPECT_LE(test::open_files(), files_before);
  EXPECT_TRUE(test::child_processes().empty());
  co_return 0;
}

TEST(Process, two_hundred_starts_and_stops_leave_no_file_and_no_process) {
  run(many_cycles);
}

}  // namespace
}  // namespace pi_mcp::io
