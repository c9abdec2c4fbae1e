// The keeper on Linux. It runs in a copy of the main program that was made by fork(): only system
// calls, no heap, no locks.
#include "io/process/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>

#include "io/process/forked_memory.h"
#include "io/process/kernel.h"
#include "io/process/process_limits.h"

namespace pi_mcp::io {
namespace {

// When we die, a server sees the end of its stdin at once; then it gets this long before SIGTERM
// ...
constexpr std::int64_t after_us_terminate_ms = 500;
// ... and, counted from SIGTERM, this long before SIGKILL.
constexpr std::int64_t terminate_to_kill_ms = 500;
// Processes that start others while they are being killed are killed again: at first soon, then
// less often, for one that the kernel cannot end.
constexpr std::int64_t kill_again_ms_min = 20;
constexpr std::int64_t kill_again_ms_max = 1000;
constexpr std::int64_t never = INT64_MAX;

// Two small stacks' worth; the child only calls a few system calls before exec.
constexpr std::size_t child_stack_bytes = std::size_t{32} << 10U;

std::int64_t clock_ms() {
  struct timespec time{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

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

void close_except(std::array<int, 4> wanted) {
  std::sort(wanted.begin(), wanted.end());
  unsigned first = 3;
  for (const int fd : wanted) {
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

class Keeper {
 public:
  Keeper(pid_t server, int control, int signals)
      : server_(server), control_(control), signals_(signals) {}

  // Returns when the server and all its descendants are gone.
  void run() {
    while (reap()) {
      act(clock_ms());
      wait();
    }
  }

 private:
  // Takes the status of everybody who ended. False when no child is left.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t process = ::waitpid(-1, &status, WNOHANG);
      if (process == server_) {
        server_gone_ = true;
        report(control_, KeeperReport::Kind::exited, server_, status);
        // What it left behind goes now.
        terminate_at_ = std::min(terminate_at_, clock_ms());
      } else if (process == 0) {
        return true;
      } else if (process < 0 && errno != EINTR) {
        return false;
      }
    }
  }

  void act(std::int64_t now) {
    if (now >= terminate_at_) {
      terminate_at_ = never;
      kill_at_ = std::min(kill_at_, now + terminate_to_kill_ms);
      signal_all(SIGTERM);
    }
    if (now >= kill_at_) {
      kill_at_ = now + kill_again_ms_;
      kill_again_ms_ = std::min(kill_again_ms_ * 2, kill_again_ms_max);
      signal_all(SIGKILL);
    }
  }

  void wait() {
    const std::int64_t due = std::min(terminate_at_, kill_at_);
    const std::int64_t left = std::max<std::int64_t>(due - clock_ms(), 0);
    std::array<struct pollfd, 2> events{{{.fd = signals_, .events = POLLIN, .revents = 0},
                                         {.fd = control_, .events = POLLIN, .revents = 0}}};
    (void)::poll(events.data(), events.size(), due == never ? -1 : static_cast<int>(left));
    if (events[0].revents != 0) {
      struct signalfd_siginfo ended{};
      (void)!::read(signals_, &ended, sizeof ended);
    }
    if (events[1].revents != 0) {
      obey();
    }
  }

  void obey() {
    char order = 0;
    const ssize_t count = ::read(control_, &order, 1);
    if (count < 0 && errno == EINTR) {
      return;
    }
    if (count <= 0) {
      (void)::close(control_);
      control_ = -1;  // poll() passes over it
      terminate_at_ = std::min(terminate_at_, clock_ms() + after_us_terminate_ms);
    } else if (order == static_cast<char>(KeeperOrder::terminate) && !server_gone_) {
      (void)::kill(-server_, SIGTERM);
    } else if (order == static_cast<char>(KeeperOrder::kill)) {
      kill_at_ = clock_ms();
    }
  }

  // The server's group and every child of ours. Grandchildren become children as their parents end,
  // so repeated SIGKILL reaches all.
  void signal_all(int number) const {
    const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (!server_gone_ || list < 0) {  // later the group's number might be somebody else's
      (void)::kill(-server_, number);
    }
    std::array<char, 4096> text{};
    pid_t process = 0;
    for (ssize_t count = 1; count > 0;) {
      count = ::read(list, text.data(), text.size());
      for (ssize_t i = 0; i < count; ++i) {
        const char digit = text.at(static_cast<std::size_t>(i));
        if (digit >= '0' && digit <= '9') {
          process = process * 10 + (digit - '0');
        } else if (process > 0) {
          (void)::kill(process, number);
          process = 0;
        }
      }
    }
    if (list >= 0) {
      (void)::close(list);
    }
  }

  pid_t server_;
  int control_;
  int signals_;
  bool server_gone_ = false;
  std::int64_t terminate_at_ = never;
  std::int64_t kill_at_ = never;
  std::int64_t kill_again_ms_ = kill_again_ms_min;
};

}  // namespace

void keep(const KeeperJob& job) {
  close_except({job.input, job.output, job.errors, job.control});
  leave_the_host();
  reset_signals(SIG_IGN);  // it ends when its work is done
  struct sigaction keep_statuses{};
  keep_statuses.sa_handler = SIG_DFL;  // ignored, SIGCHLD would take the statuses away
  (void)::sigaction(SIGCHLD, &keep_statuses, nullptr);
  sigset_t ended;
  (void)::sigemptyset(&ended);
  (void)::sigaddset(&ended, SIGCHLD);
  (void)::pthread_sigmask(SIG_SETMASK, &ended, nullptr);
  const int signals = ::signalfd(-1, &ended, SFD_CLOEXEC);

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
  if (job.drops_memory) {
    drop_allocated_memory();
  }
  Keeper(server, job.control, signals).run();
  ::_exit(0);
}

}  // namespace pi_mcp::io
