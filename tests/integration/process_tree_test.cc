// What the processes of a real server take.
#include "io/process/process_tree.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "io/process/process.h"
#include "support/processes.h"

namespace pi_mcp::io {
namespace {

// The script can start `sh -c "$child" <&3`. Each child says itself that it is ready: while a
// process is being replaced by another program (execve(2)), its memory cannot be read.
Task<std::optional<TreeUse>> use_of(std::string script, std::size_t children) {
  Command command{.program = "sh",
                  .arguments = {"-c", "exec 3<&0; child='echo ready; read line'; " + script},
                  .environment = process_environment(),
                  .folder = "/"};
  auto process = co_await Process::start(std::move(command));
  if (!process) {
    co_return std::nullopt;
  }
  std::string space(16, '\0');
  std::size_t ready = 0;
  while (ready < children) {
    const auto count = co_await (*process)->output().read_some(space);
    if (!count || *count == 0) {
      break;
    }
    const auto said = std::string_view(space).substr(0, *count);
    ready += static_cast<std::size_t>(std::ranges::count(said, '\n'));
  }
  // So does the keeper, until it has become a program of its own.
  std::optional<TreeUse> use;
  (void)co_await test::eventually([&] {
    use = tree_use((*process)->id());
    return use && use->processes == children + 2;
  });
  co_await (*process)->close();
  co_return use;
}

TEST(ProcessTree, counts_the_keeper_the_server_and_what_it_started) {
  const std::optional<TreeUse> use = run([](const Executor& /*executor*/) {
    return use_of("sh -c \"$child\" <&3 & sh -c \"$child\" <&3 & wait", 2);
  });
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->processes, 4U);
  EXPECT_GT(use->memory_bytes, 4U * 16'384);
  EXPECT_LT(use->memory_bytes, std::size_t{1} << 30U);
}

TEST(ProcessTree, counts_what_lost_its_parent) {
  const std::optional<TreeUse> use = run([](const Executor& /*executor*/) {
    return use_of("(sh -c \"$child\" <&3 &); sh -c \"$child\" <&3 & wait", 2);
  });
  ASSERT_TRUE(use.has_value());
  EXPECT_EQ(use->processes, 4U);
}

TEST(ProcessTree, is_nothing_for_a_process_that_is_gone) {
  EXPECT_EQ(tree_use(0), std::nullopt);
  EXPECT_EQ(tree_use(1 << 30), std::nullopt);
}

TEST(ProcessTree, of_a_process_without_keeper_begins_with_itself) {
  const std::optional<TreeUse> use = tree_use(::getpid());
  ASSERT_TRUE(use.has_value());
  EXPECT_GE(use->processes, 1U);
}

}  // namespace
}  // namespace pi_mcp::io
