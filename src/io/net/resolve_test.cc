#include "io/net/resolve.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {
namespace {

// Only in lower case it is known to be this machine: a thread asks the system, which finds it in
// its own files.
constexpr const char* name = "LOCALHOST";
constexpr std::size_t look_ups = 32;

using Outcome = Result<std::vector<Address>>;

Task<void> look_up(std::vector<Outcome>* seen) {
  Outcome found = co_await resolve(name, 80);
  seen->push_back(std::move(found));
}

Task<int> many_look_ups(Executor executor) {
  std::vector<Outcome> seen;
  TaskGroup group(executor);
  for (std::size_t i = 0; i < look_ups; ++i) {
    group.spawn("look-up", look_up(&seen), log_only);
  }
  co_await group.join();
  EXPECT_EQ(seen.size(), look_ups);
  for (const Outcome& found : seen) {
    EXPECT_TRUE(found) << found.error().message();
    EXPECT_TRUE(found && place_of(found->front()) == http::Place::this_machine);
  }
  co_return 0;
}

TEST(Resolve, looks_many_names_up_at_once) {
  run(many_look_ups);
}

Task<int> cancelled_look_ups(Executor executor) {
  std::vector<Outcome> seen;
  TaskGroup group(executor);
  for (std::size_t i = 0; i < look_ups; ++i) {
    group.spawn("look-up", look_up(&seen), log_only);
  }
  group.cancel();
  co_await group.join();
  EXPECT_EQ(seen.size(), look_ups);
  co_return 0;
}

TEST(Resolve, a_look_up_that_nobody_waits_for_any_longer_ends_alone) {
  run(cancelled_look_ups);
}

}  // namespace
}  // namespace pi_mcp::io
