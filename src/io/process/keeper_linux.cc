// The keeper on Linux, until its server runs. It is a copy of the main program that was made by
// fork(): only system calls, no heap, no locks. What it does then stands in keeping_linux.cc.
#include "io/process/keeper.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "io/files/memory_file.h"
#include "io/process/forked_memory.h"
#include "io/process/keeper_program.h"
#include "io/process/keeping.h"
#include "io/process/kernel.h"
#include "io/process/process_limits.h"

namespace pi_mcp::io {
namespace {

// A server that starts has the processor for itself so long: to become a program of its own takes
// the keeper 0.1 ms, and for a server that ends soon it is not worth while.
constexpr std::int64_t start_ms = 100;

// Two small stacks' worth; the child only calls a few system calls before exec.
constexpr std::size_t child_stack_bytes = std::size_t{32} << 10U;

struct Start {
  const KeeperJob* job;
  pid_t keeper;
  KeeperReport::Kind failed_at;
  int failure;  // errno; 0 when the program runs
};

// For the calling process and what it starts. A kernel that refuses leaves it as it is.
void have_lowest_priority() {
  constexpr int process_class = 1;    // IOPRIO_WHO_PROCESS
  constexpr int idle_disk = 3 << 13;  // IOPRIO_CLASS_IDLE: ioprio_set(2) has no header
  (void)::setpriority(PRIO_PROCESS, 0, 19);
  (void)::syscall(SYS_ioprio_set, process_class, 0, idle_disk);
}

// The child between clone and exec. It shares the keeper's memory (the keeper waits), so `start` is
// how it reports.
int run_server(void* argument) {
  auto* const start = static_cast<Start*>(argument);
  const KeeperJob& job = *start->job;
  (void)::setpgid(0, 0);
  // Should the keeper be killed, the server at least goes with it.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start->keeper) {
    return 127;
  }
  reset_signals(SIG_DFL);  // exec keeps ignored signals ignored
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  (void)::dup2(job.input, STDIN_FILENO);
  (void)::dup2(job.output, STDOUT_FILENO);
  (void)::dup2(job.errors, STDERR_FILENO);
  start->failed_at = KeeperReport::Kind::no_traits;
  start->failure = job.traits == nullptr ? 0 : take_on(*job.traits);
  if (start->failure != 0) {
    return 127;
  }
  if (job.background) {
    have_lowest_priority();
  }
  start->failed_at = KeeperReport::Kind::no_folder;
  if (::chdir(job.folder) == 0) {
    start->failed_at = KeeperReport::Kind::no_start;
    (void)::execve(job.path, job.arguments, job.environment);
  }
  start->failure = errno;
  return 127;
}

void report(int control, KeeperReport::Kind kind, pid_t process, int value) {
  const KeeperReport message{.kind = kind, .process = process, .value = value};
  // When nobody is there to read it any more, the end of the socket tells us so next.
  (void)!::write(control, &message, sizeof message);
}

void close_except(std::array<int, 5> wanted) {
  std::sort(wanted.begin(), wanted.end());
  unsigned first = 3;
  for (const int fd : wanted) {
    if (fd < 0) {
      continue;
    }
    const auto number = static_cast<unsigned>(fd);
    if (number > first) {
      close_files(first, number - 1);
    }
    first = number + 1;
  }
  close_files(first, ~0U);
}

// A Ctrl-C in our terminal is for us alone, and no server may ask a question there. setsid() would
// do both, but where sched_autogroup_enabled is set it and the later exit take 4 ms each.
void leave_the_terminal() {
  (void)::setpgid(0, 0);
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY);
  if (terminal >= 0) {
    (void)::ioctl(terminal, TIOCNOTTY);
    (void)::close(terminal);
  }
}

// Our stdin, stdout and stderr belong to the host: it must see them end when we do.
void leave_the_host() {
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) {
    if (nothing < 0) {
      (void)::close(fd);
    } else {
      (void)::dup2(nothing, fd);
    }
  }
  if (nothing > 2) {
    (void)::close(nothing);
  }
  leave_the_terminal();
  name_process(keeper_name);
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

// The server's HOME, by which `pi-mcp doctor` knows whose a keeper is; null: it has none.
char* home_of(char* const* environment) {
  constexpr std::string_view name = "HOME=";
  for (; *environment != nullptr; ++environment) {
    if (std::string_view(*environment).starts_with(name)) {
      return *environment;
    }
  }
  return nullptr;
}

// Goes on as a program of a few pages (keeper_program.cc), which finds SIGCHLD blocked and the
// statuses of who has ended meanwhile. Returns when the system does not let it.
void become_light(const KeeperJob& job, pid_t server) {
  constexpr std::size_t digits_max = 12;
  std::array<char, digits_max> control{};
  std::array<char, digits_max> kept{};
  (void)std::to_chars(control.data(), control.data() + control.size() - 1, job.control);
  (void)std::to_chars(kept.data(), kept.data() + kept.size() - 1, server);
  const std::array<const char*, 4> arguments = {keeper_name, control.data(), kept.data(), nullptr};
  const std::array<char*, 2> environment = {home_of(job.environment), nullptr};
  (void)::fcntl(job.control, F_SETFD, 0);
  (void)::syscall(
      SYS_execveat, job.program, "", arguments.data(), environment.data(), AT_EMPTY_PATH);
}

}  // namespace

int light_keeper() {
  static Fd file;
  if (!file.is_open()) {
    Result<Fd> made = make_sealed_file(keeper_name, keeper_program(), MemoryFileUse::program);
    file = made ? std::move(*made) : Fd();
  }
  return file.get();
}

void keep(const KeeperJob& job) {
  close_except({job.input, job.output, job.errors, job.control, job.program});
  leave_the_host();
  reset_signals(SIG_IGN);  // it ends when its work is done
  struct sigaction keep_statuses{};
  keep_statuses.sa_handler = SIG_DFL;  // ignored, SIGCHLD would take the statuses away
  (void)::sigaction(SIGCHLD, &keep_statuses, nullptr);
  sigset_t ended;
  (void)::sigemptyset(&ended);
  (void)::sigaddset(&ended, SIGCHLD);
  (void)::pthread_sigmask(SIG_SETMASK, &ended, nullptr);

  alignas(16) static std::array<std::byte, child_stack_bytes> stack;
  Start start{
      .job = &job, .keeper = ::getpid(), .failed_at = KeeperReport::Kind::no_start, .failure = 0};
  const pid_t server =
      ::clone(run_server, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &start);
  if (server < 0) {
    start.failure = errno;
  } else if (start.failure != 0) {
    (void)::waitpid(server, nullptr, 0);
  }
  if (start.failure != 0) {
    report(job.control, start.failed_at, 0, start.failure);
    ::_exit(0);
  }
  report(job.control, KeeperReport::Kind::started, server, 0);
  (void)::close(job.input);
  (void)::close(job.output);
  (void)::close(job.errors);
  (void)!::chdir("/");  // keeps no file system busy
  keep_server_until_quiet(job.control, server, start_ms);
  become_light(job, server);
  (void)::close(job.program);
  if (job.drops_memory) {
    drop_allocated_memory();
  }
  keep_server(job.control, server);
}

}  // namespace pi_mcp::io
