// Starts the command it is given and does nothing more, until it is killed: for tests of what is
// left behind then. Usage: keeper_parent PROGRAM ARGUMENTS...; prints "ready" when the command
// runs.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "io/process/process.h"

namespace {

using pi_mcp::io::Executor;
using pi_mcp::io::Task;

Task<int> keep_running(Executor executor, pi_mcp::io::Command command) {
  auto process = co_await pi_mcp::io::Process::start(std::move(command));
  if (!process) {
    std::fprintf(stderr, "%s\n", process.error().message().c_str());
    co_return 1;
  }
  std::puts("ready");
  (void)std::fflush(stdout);
  pi_mcp::io::Condition never(executor);
  (void)co_await never.wait();
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  pi_mcp::io::Command command{.program = argv[1],
                              .arguments = {argv + 2, argv + argc},
                              .environment = pi_mcp::io::process_environment(),
                              .folder = "/"};
  return pi_mcp::io::run(
      [&](Executor executor) { return keep_running(std::move(executor), command); });
}
