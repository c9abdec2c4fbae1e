// Only system calls, nothing of a library but what its headers define: see keeping.h.
#include "io/process/keeping.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#include "io/process/keeper.h"
#include "io/process/system_calls.h"

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
constexpr std::int64_t ms_per_s = 1000;
constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr long kernel_signals_bytes = 8;  // of a set of signals

// std::min() takes references, which want memory.
std::int64_t earlier(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}

std::int64_t clock_ms() {
  struct timespec time{};
  (void)bare::call(__NR_clock_gettime, CLOCK_MONOTONIC, bare::address(&time));
  return time.tv_sec * ms_per_s + time.tv_nsec / ns_per_ms;
}

void send_signal(int process, int number) {
  (void)bare::call(__NR_kill, process, number);  // who has ended meanwhile needs it no more
}

class Keeping {
 public:
  // `quiet_ms`: see run().
  Keeping(int control, int server, std::int64_t quiet_ms)
      : server_(server), control_(control), quiet_ms_(quiet_ms) {
    const std::uint64_t ended = std::uint64_t{1} << (SIGCHLD - 1U);
    signals_ = static_cast<int>(
        bare::call(__NR_signalfd4, -1, bare::address(&ended), kernel_signals_bytes, SFD_CLOEXEC));
  }

  // False when the server and all its descendants are gone; true when nothing is to be done and
  // nothing has happened for quiet_ms.
  bool run() {
    bool is_quiet = false;
    while (!is_quiet) {
      if (!reap()) {
        (void)bare::call(__NR_close, signals_);
        return false;
      }
      act(clock_ms());
      is_quiet = !wait();
    }
    (void)bare::call(__NR_close, signals_);
    return true;
  }

 private:
  // Takes the status of everybody who ended. False when no child is left.
  bool reap() {
    for (;;) {
      int status = 0;
      const long process = bare::call(__NR_wait4, -1, bare::address(&status), WNOHANG);
      if (process == server_) {
        server_gone_ = true;
        report_exit(status);
        // What it left behind goes now.
        terminate_at_ = earlier(terminate_at_, clock_ms());
      } else if (process == 0) {
        return true;
      } else if (process < 0 && process != -EINTR) {
        return false;
      }
    }
  }

  void report_exit(int status) const {
    const KeeperReport message{
        .kind = KeeperReport::Kind::exited, .process = server_, .value = status};
    // When nobody is there to read it any more, the end of the socket tells us so next.
    (void)bare::call(__NR_write, control_, bare::address(&message), sizeof message);
  }

  void act(std::int64_t now) {
    if (now >= terminate_at_) {
      terminate_at_ = never;
      kill_at_ = earlier(kill_at_, now + terminate_to_kill_ms);
      signal_all(SIGTERM);
    }
    if (now >= kill_at_) {
      kill_at_ = now + kill_again_ms_;
      kill_again_ms_ = earlier(kill_again_ms_ * 2, kill_again_ms_max);
      signal_all(SIGKILL);
    }
  }

  // False: nothing is due, and nothing has happened for quiet_ms_.
  bool wait() {
    const std::int64_t due = earlier(terminate_at_, kill_at_);
    const std::int64_t now = clock_ms();
    const std::int64_t left = due == never ? quiet_ms_ : due > now ? due - now : 0;
    const struct timespec limit{.tv_sec = left / ms_per_s, .tv_nsec = left % ms_per_s * ns_per_ms};
    struct pollfd events[2] = {{.fd = signals_, .events = POLLIN, .revents = 0},
                               {.fd = control_, .events = POLLIN, .revents = 0}};
    const long found =
        bare::call(__NR_ppoll, bare::address(events), 2, left == never ? 0 : bare::address(&limit));
    if (events[0].revents != 0) {
      char ended[sizeof(struct signalfd_siginfo)];
      (void)bare::call(__NR_read, signals_, bare::address(ended), sizeof ended);
    }
    if (events[1].revents != 0) {
      obey();
    }
    return found != 0 || due != never;
  }

  void obey() {
    char order = 0;
    const long count = bare::call(__NR_read, control_, bare::address(&order), 1);
    if (count == -EINTR) {
      return;
    }
    if (count <= 0) {
      (void)bare::call(__NR_close, control_);
      control_ = -1;  // ppoll() passes over it
      terminate_at_ = earlier(terminate_at_, clock_ms() + after_us_terminate_ms);
    } else if (order == static_cast<char>(KeeperOrder::terminate) && !server_gone_) {
      send_signal(-server_, SIGTERM);
    } else if (order == static_cast<char>(KeeperOrder::kill)) {
      kill_at_ = clock_ms();
    }
  }

  // The server's group and every child of ours. Grandchildren become children as their parents end,
  // so repeated SIGKILL reaches all.
  void signal_all(int number) const {
    const long list = bare::call(
        __NR_openat, AT_FDCWD, bare::address("/proc/thread-self/children"), O_RDONLY | O_CLOEXEC);
    if (!server_gone_ || list < 0) {  // later the group's number might be somebody else's
      send_signal(-server_, number);
    }
    char text[4096];
    int process = 0;
    for (long count = 1; count > 0;) {
      count = bare::call(__NR_read, list, bare::address(text), sizeof text);
      for (long i = 0; i < count; ++i) {
        // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the kernel wrote it
        if (text[i] >= '0' && text[i] <= '9') {
          process = process * 10 + (text[i] - '0');
        } else if (process > 0) {
          send_signal(process, number);
          process = 0;
        }
      }
    }
    if (list >= 0) {
      (void)bare::call(__NR_close, list);
    }
  }

  int server_;
  int control_;
  int signals_ = -1;
  std::int64_t quiet_ms_;
  bool server_gone_ = false;
  std::int64_t terminate_at_ = never;
  std::int64_t kill_at_ = never;
  std::int64_t kill_again_ms_ = kill_again_ms_min;
};

}  // namespace

void keep_server(int control, int server) {
  (void)Keeping(control, server, never).run();
  bare::leave(0);
}

void keep_server_until_quiet(int control, int server, std::int64_t quiet_ms) {
  if (!Keeping(control, server, quiet_ms).run()) {
    bare::leave(0);
  }
}

}  // namespace pi_mcp::io
