#include "io/process/run_command.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "io/loop/loop.h"

namespace pi_mcp::io {
namespace {

Command shell(std::string line) {
  return {.program = "sh",
          .arguments = {"-c", std::move(line)},
          .environment = {{"PATH", "/usr/bin:/bin"}},
          .folder = "/"};
}

Result<CommandOutput> output_of(std::string line, CommandLimits limits = {}) {
  const Command command = shell(std::move(line));
  return io::run([&](const Executor&) { return run_command(command, limits); });
}

TEST(RunCommand, gives_output_and_status) {
  const Result<CommandOutput> output = output_of("printf secret; echo noise >&2; exit 3");
  ASSERT_TRUE(output) << output.error().message();
  EXPECT_EQ(output->text, "secret");
  EXPECT_EQ(output->status.code(), 3);
}

TEST(RunCommand, its_stdin_is_empty) {
  EXPECT_EQ(output_of("cat; echo end")->text, "end\n");
}

TEST(RunCommand, gives_input_however_much_and_ends_without_a_reader) {
  const std::string input(300'000, 'x');
  for (const auto& [line, output] : {std::pair("cat", input), std::pair("exit 0", std::string())}) {
    const Command command = shell(line);
    const auto given = io::run([&](const Executor&) { return run_command(command, {}, input); });
    ASSERT_TRUE(given) << given.error().message();
    EXPECT_EQ(given->text, output);
  }
}

TEST(RunCommand, ends_a_command_that_takes_too_long) {
  const Result<CommandOutput> output =
      output_of("trap '' TERM; sleep 60 & wait", {.time_max = Milliseconds(50)});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code(), ErrorCode::timed_out);
}

TEST(RunCommand, refuses_endless_output) {
  const Result<CommandOutput> output = output_of("yes", {.output_bytes_max = 10'000});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code(), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace pi_mcp::io
