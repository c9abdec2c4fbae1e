// Two hundred starts and stops of one server: what they leave in memory, files and processes.
#include <malloc.h>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "servers/launch/stdio_connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "test_programs.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#define PI_MCP_WITH_ASAN 1
#endif
#endif

namespace pi_mcp::servers {
namespace {

// Bytes that are allocated now. Better than the size of the process, which a sanitizer's quarantine
// and a growing heap's holes change without any leak.
std::size_t allocated_bytes() {
#ifdef PI_MCP_WITH_ASAN
  return __sanitizer_get_current_allocated_bytes();
#else
  return ::mallinfo2().uordblks;
#endif
}

struct Held {
  std::size_t bytes = allocated_bytes();
  std::size_t files = test::open_files();
  std::size_t children = test::child_processes().size();
};

Launch fake_launch(std::vector<std::string> options) {
  Launch launch;
  launch.server = "s";
  launch.command = PI_MCP_FAKE_SERVER;
  launch.args = std::move(options);
  launch.env = io::process_environment();
  launch.cwd = "/";
  return launch;
}

io::Task<bool> cycle(Pool* pool, const Launch* launch) {
  const auto connection = co_await pool->acquire(*launch, Use::on_demand);
  EXPECT_TRUE(connection) << connection.error().message();
  if (connection) {
    const auto answer =
        co_await (*connection)
            ->call("tools/call",
                   SharedText(std::string(R"({"name":"echo","arguments":{"text":"x"}})")),
                   {});
    EXPECT_TRUE(answer) << answer.error().message();
  }
  co_await pool->stop(launch->key());
  co_return true;
}

io::Task<bool> two_hundred_cycles(io::Executor executor) {
  constexpr int warm_up = 20;
  constexpr int cycles = 200;
  StdioConnector stdio(executor);
  Pool pool(executor, {}, [&stdio](Launch launch) { return stdio.connect(std::move(launch)); });
  const Launch launch = fake_launch({"--stderr", "started"});
  for (int i = 0; i < warm_up; ++i) {
    co_await cycle(&pool, &launch);
  }
  const Held before;
  for (int i = 0; i < cycles; ++i) {
    co_await cycle(&pool, &launch);
  }
  const Held after;
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.children, 0U);
  // Less than one byte in ten of what a single cycle allocates (some 100 kB).
  EXPECT_LT(after.bytes, before.bytes + cycles * std::size_t{64});
  co_await stdio.close();
  co_await pool.close();
  co_return true;
}

TEST(Cycles, two_hundred_starts_and_stops_leave_no_memory_no_file_and_no_process) {
  io::run(two_hundred_cycles);
}

}  // namespace
}  // namespace pi_mcp::servers
