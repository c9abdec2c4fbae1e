#include "io/process/newborn.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <span>
#include <utility>

#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/process/keeper.h"
#include "io/process/kernel.h"

namespace pi_mcp::io {
namespace {

constexpr int lock_number = 3;
constexpr int folder_number = 4;
constexpr int ready_number = 5;
constexpr int first_free_number = 6;

// Nobody has less of these, unless somebody wanted it so.
struct UsualLimit {
  __rlimit_resource resource;
  const char* name;
  rlim_t least;
};
constexpr std::array<UsualLimit, 7> usual_limits = {
    {{.resource = RLIMIT_NOFILE, .name = "open files", .least = 4096},
     {.resource = RLIMIT_AS, .name = "address space", .least = RLIM_INFINITY},
     {.resource = RLIMIT_DATA, .name = "data size", .least = RLIM_INFINITY},
     {.resource = RLIMIT_STACK, .name = "stack size", .least = RLIM_INFINITY},
     {.resource = RLIMIT_FSIZE, .name = "file size", .least = RLIM_INFINITY},
     {.resource = RLIMIT_RSS, .name = "resident memory", .least = RLIM_INFINITY},
     {.resource = RLIMIT_CPU, .name = "processor time", .least = RLIM_INFINITY}}};

bool raise_limit(const UsualLimit& usual) {
  struct rlimit limit{};
  if (::getrlimit(usual.resource, &limit) != 0 || limit.rlim_max >= usual.least) {
    return true;
  }
  limit.rlim_max = usual.least;
  return ::setrlimit(usual.resource, &limit) == 0;
}

// Whether this process may have what only the privileged may: it is tried, and undone.
bool can_raise(const UsualLimit& usual) {
  struct rlimit before{};
  if (::getrlimit(usual.resource, &before) != 0) {
    return true;
  }
  const bool raised = raise_limit(usual);
  (void)::setrlimit(usual.resource, &before);
  return raised;
}

bool can_be_usual_niceness(int niceness) {
  if (niceness <= 0) {
    return true;
  }
  if (::setpriority(PRIO_PROCESS, 0, 0) != 0) {
    return false;
  }
  (void)::setpriority(PRIO_PROCESS, 0, niceness);
  return true;
}

struct Parent {
  std::string name;
  long id = 0;  // of the one above it; 0: none
};

// /proc/PID/stat: number (name) state parent ...; the name may have any character.
Parent read_parent(long process) {
  const auto text = read_file("/proc/" + std::to_string(process) + "/stat");
  if (!text || !*text) {
    return {};
  }
  const std::size_t begin = (*text)->find('(');
  const std::size_t end = (*text)->rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 4 >= (*text)->size()) {
    return {};
  }
  return {.name = (*text)->substr(begin + 1, end - begin - 1),
          .id = std::strtol((*text)->c_str() + end + 4, nullptr, 10)};
}

// Everybody who loses his parent becomes a child of the keeper above him.
bool is_below_keeper() {
  constexpr int levels_max = 256;
  long process = ::getppid();
  for (int level = 0; level < levels_max && process > 1; ++level) {
    const Parent parent = read_parent(process);
    if (parent.name == keeper_name) {
      return true;
    }
    process = parent.id;
  }
  return false;
}

struct Birth {
  const char* path;
  char* const* arguments;
  int lock;
  int folder;
  int ready;
};

bool take_numbers(const Birth& birth) {
  constexpr int out_of_the_way = 16;
  const int lock = ::fcntl(birth.lock, F_DUPFD, out_of_the_way);
  const int folder = ::fcntl(birth.folder, F_DUPFD, out_of_the_way);
  const int ready = ::fcntl(birth.ready, F_DUPFD, out_of_the_way);
  const int nothing = ::open("/dev/null", O_RDWR);
  if (lock < 0 || folder < 0 || ready < 0 || nothing < 0) {
    return false;
  }
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::dup2(nothing, number) < 0) {
      return false;
    }
  }
  return ::dup2(lock, lock_number) >= 0 && ::dup2(folder, folder_number) >= 0 &&
         ::dup2(ready, ready_number) >= 0;
}

// In the child of a child: system calls alone, as in every copy that fork() makes.
[[noreturn]] void be_born(const Birth& birth) {
  if (!take_numbers(birth) || ::chdir("/") != 0) {
    ::_exit(1);
  }
  close_files(first_free_number, ~0U);
  const pid_t own = ::getpid();
  (void)!::write(ready_number, &own, sizeof own);
  constexpr mode_t own_alone = 077;
  (void)::umask(own_alone);
  reset_signals(SIG_DFL);
  sigset_t none;
  (void)::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  (void)::sched_setaffinity(0, sizeof all, &all);
  (void)::setpriority(PRIO_PROCESS, 0, 0);  // why_not_born_clean() has seen that it can be
  for (const UsualLimit& usual : usual_limits) {
    (void)raise_limit(usual);  // the same
  }
  const int priority = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (priority >= 0) {
    (void)!::write(priority, "0", 1);  // may stay where the kernel is sooner to end it
    (void)::close(priority);
  }
  std::array<char*, 1> environment{};
  (void)::execve(birth.path, birth.arguments, environment.data());
  ::_exit(1);
}

// What the newborn has said: all of `space`, which it writes in one piece.
Result<void> hear(const Fd& ready, std::span<char> space, TimePoint deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(deadline - now()).count();
    struct pollfd event{.fd = ready.get(), .events = POLLIN, .revents = 0};
    const int found =
        ::poll(&event, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX)));
    if (found == 0) {
      return fail(ErrorCode::timed_out, "the shared process did not get ready");
    }
    const ssize_t count = found < 0 ? -1 : ::read(ready.get(), space.data(), space.size());
    if (count > 0) {
      return {};
    }
    if (count == 0) {
      return fail(ErrorCode::unavailable, "the shared process ended when it was started");
    }
    if (errno != EINTR) {
      return fail(ErrorCode::io, "cannot hear of the shared process: " + reason(errno));
    }
  }
}

// First it says its number, then that it is ready.
Result<void> await_ready(const Fd& ready, Milliseconds limit) {
  const TimePoint deadline = now() + limit;
  pid_t newborn = 0;
  if (Result<void> born =
          hear(ready, {reinterpret_cast<char*>(&newborn), sizeof newborn}, deadline);
      !born) {
    return born;
  }
  char byte = 0;
  Result<void> heard = hear(ready, {&byte, 1}, deadline);
  if (!heard && heard.error().code() == ErrorCode::timed_out) {
    // It holds the lock of the folder and its end of the pipe, so the number is still its own.
    (void)::kill(newborn, SIGKILL);
  }
  return heard;
}

}  // namespace

std::optional<std::string> why_not_born_clean() {
  const int niceness = ::getpriority(PRIO_PROCESS, 0);
  if (!can_be_usual_niceness(niceness)) {
    return "niceness is " + std::to_string(niceness) + " here and cannot be put back";
  }
  for (const UsualLimit& usual : usual_limits) {
    if (!can_raise(usual)) {
      return "the hard limit of " + std::string(usual.name) +
             " is lowered here and cannot be put back";
    }
  }
  if (is_below_keeper()) {
    return "a server of pi-mcp has started it";
  }
  return std::nullopt;
}

Result<void> start_newborn(const Newborn& newborn, Milliseconds limit) {
  std::vector<char*> arguments;
  arguments.reserve(newborn.arguments.size() + 1);
  for (const std::string& argument : newborn.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string path = own_program();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::io, "cannot make a pipe: " + reason(errno));
  }
  const Fd ready(ends[0]);
  Fd theirs(ends[1]);
  const Birth birth{.path = path.c_str(),
                    .arguments = arguments.data(),
                    .lock = newborn.lock,
                    .folder = newborn.folder,
                    .ready = theirs.get()};
  const pid_t child = ::fork();
  if (child < 0) {
    return fail(ErrorCode::io, "cannot start the shared process: " + reason(errno));
  }
  if (child == 0) {
    (void)::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      be_born(birth);
    }
    ::_exit(grandchild < 0 ? 1 : 0);
  }
  theirs.reset();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return await_ready(ready, limit);
}

Result<BirthGifts> take_birth_gifts() {
  for (const int number : {lock_number, folder_number, ready_number}) {
    if (::fcntl(number, F_SETFD, FD_CLOEXEC) != 0) {
      return fail(ErrorCode::io, "it is started by pi-mcp itself, not by hand");
    }
  }
  name_process("pi-mcp");  // executed by a link, it is called like that
  return BirthGifts{
      .lock = Fd(lock_number), .folder = Fd(folder_number), .ready = Fd(ready_number)};
}

void say_ready(const Fd& ready) {
  (void)!::write(ready.get(), "r", 1);
}

}  // namespace pi_mcp::io
