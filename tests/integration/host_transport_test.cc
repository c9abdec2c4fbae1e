// The transport toward the host, with each kind of file a host may give us as stdin and stdout.
#include <fcntl.h>

#include <fstream>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "support/link.h"
#include "test_programs.h"

namespace pi_mcp::transport {
namespace {

using test::Link;
using test::TempFolder;

StdioChildOptions shell(std::string script) {
  StdioChildOptions options;
  options.name = "shell";
  options.command = {.program = "sh",
                     .arguments = {"-c", std::move(script), PI_MCP_HOST_ECHO},
                     .environment = io::process_environment(),
                     .folder = "/"};
  return options;
}

rpc::Outgoing request(int id) {
  return rpc::request(rpc::Id(id), "echo", SharedText("{\"n\":" + std::to_string(id) + "}"));
}

io::Task<int> over_pipes(io::Executor /*executor*/) {
  Link link = co_await Link::open(shell("exec \"$0\""));
  for (int id = 1; id <= 3; ++id) {
    EXPECT_TRUE(link->send(request(id)));
    EXPECT_EQ(co_await link.next(), "result {\"n\":" + std::to_string(id) + "}");
  }
  EXPECT_TRUE(link->send(rpc::Outgoing("no message")));
  EXPECT_EQ((co_await link.next()).substr(0, 17), "failure not JSON:");
  EXPECT_EQ(link->counters().junk_lines, 0U);  // what it prints to stdout goes to stderr
  co_await link->close();
  EXPECT_EQ(link->end().reason, "exited with status 0");
  EXPECT_EQ(link->end().stderr_tail, "the host closed its output\nthis must not reach the host\n");
  co_return 0;
}

TEST(StdioHost, serves_over_pipes_and_ends_with_its_input) {
  io::run(over_pipes);
}

io::Task<int> run_script(std::string script) {
  auto process = co_await io::Process::start(shell(std::move(script)).command);
  const auto status =
      co_await io::with_deadline(test::patience, "the script", process.value()->wait_exit());
  EXPECT_EQ(status ? status->text() : status.error().message(), "exited with status 0");
  co_await process.value()->close();
  co_return 0;
}

void run(const std::string& script) {
  io::run([&](const io::Executor& /*executor*/) { return run_script(script); });
}

TEST(StdioHost, serves_from_a_file_into_a_file) {
  const TempFolder folder;
  std::ofstream(folder.file("in")) << request(1).flat() << "\n" << request(2).flat();
  run("\"$0\" < " + folder.file("in") + " > " + folder.file("out"));
  EXPECT_EQ(folder.text("out"),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"n\":2}}\n");
}

TEST(StdioHost, ends_at_once_with_nothing_as_its_input) {
  run("\"$0\" < /dev/null > /dev/null");
  run("\"$0\" <&- >&-");
}

TEST(StdioHost, a_terminal_is_not_left_without_blocking) {
  const TempFolder folder;
  // script(1) gives it a terminal, which the shell shares; its flags are what cat then relies on.
  run("script -qec \"sh -c '$0 < /dev/null; grep flags /proc/self/fdinfo/1 > " +
      folder.file("flags") + "'\" /dev/null < /dev/null > /dev/null");
  const std::string flags = folder.text("flags");
  ASSERT_EQ(flags.substr(0, 6), "flags:");
  EXPECT_EQ(std::stoul(flags.substr(6), nullptr, 8) & O_NONBLOCK, 0U);
}

TEST(StdioHost, what_is_queued_for_a_slow_host_is_written_before_the_end) {
  const TempFolder folder;
  std::ofstream(folder.file("in")) << request(1).flat() << "\n";
  // The reader starts only when the program waits for it, with most of its message unwritten.
  run("\"$0\" --flood 1000000 < " + folder.file("in") + " | (read -r a; read -r b; echo \"$b\" > " +
      folder.file("out") + ")");
  EXPECT_EQ(folder.text("out"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}\n");
}

TEST(StdioHost, a_host_that_has_stopped_reading_does_not_hold_up_the_end) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  run("mkfifo " + pipe + "; sleep 1000 < " + pipe +
      " & reader=$!; \"$0\" --flood 1000000 < /dev/null > " + pipe +
      "; status=$?; kill $reader; exit $status");
}

TEST(StdioHost, a_host_that_is_gone_ends_the_link_without_a_signal) {
  run("(\"$0\" --flood 1000000 < /dev/null; echo $? >&2) | true");
}

TEST(StdioHost, a_host_that_reads_no_more_ends_the_link_though_its_output_stays_open) {
  const TempFolder folder;
  const std::string pipe = folder.file("pipe");
  run("mkfifo " + pipe + "; exec 3<> " + pipe + "; \"$0\" --flood 1000000 <&3 | true");
}

}  // namespace
}  // namespace pi_mcp::transport
