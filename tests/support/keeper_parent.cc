// Starts the command it is given and does nothing more, until SIGTERM closes it or it is killed:
// for tests of what is left behind then. Usage: keeper_parent [--cannot-execute-memory] PROGRAM
// ARGUMENTS...; prints "ready" when the command runs.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "io/loop/loop.h"
#include "io/loop/signals.h"
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
  pi_mcp::io::StopSignals terminate(executor);
  (void)co_await terminate.wait();
  co_await (*process)->close(
      {.after_input_end = pi_mcp::Milliseconds(50), .after_terminate = pi_mcp::Milliseconds(50)});
  co_return 0;
}

// As where the kernel executes no files in memory (vm.memfd_noexec).
void cannot_execute_memory() {
  std::array<struct sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execveat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  struct sock_fprog filter{.len = program.size(), .filter = program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::abort();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (std::strcmp(argv[1], "--cannot-execute-memory") == 0) {
    cannot_execute_memory();
    ++argv;
    --argc;
  }
  pi_mcp::io::Command command{.program = argv[1],
                              .arguments = {argv + 2, argv + argc},
                              .environment = pi_mcp::io::process_environment(),
                              .folder = "/"};
  return pi_mcp::io::run(
      [&](Executor executor) { return keep_running(std::move(executor), command); });
}
