#include "io/process/kernel.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace pi_mcp::io {

std::string own_program() {
  return "/proc/self/exe";
}

void adopt_descendants(bool on) {
  (void)::prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0);
}

Fd end_of_child(pid_t child) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

void widen_pipe(int pipe, int bytes) {
  (void)::fcntl(pipe, F_SETPIPE_SZ, bytes);
}

Fd open_anew(int file, int flags) {
  return Fd(::open(("/proc/self/fd/" + std::to_string(file)).c_str(), flags | O_CLOEXEC));
}

Fd open_to_read(int file) {
  return open_anew(file, O_RDONLY);
}

unsigned own_user_id() {
  return ::geteuid();
}

Fd open_own_program() {
  return Fd(::open("/proc/self/exe", O_PATH | O_CLOEXEC));
}

std::string own_program_stamp() {
  struct stat status{};
  (void)::stat("/proc/self/exe", &status);  // where there is no /proc nothing is shared
  return std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + ' ' +
         std::to_string(status.st_mtim.tv_nsec);
}

void name_process(const char* name) {
  (void)::prctl(PR_SET_NAME, name);
}

void close_files(unsigned first, unsigned last) {
  if (::close_range(first, last, 0) == 0) {
    return;
  }
  // Linux before 5.9; more descriptors than this nobody has there.
  constexpr unsigned files_max = 65'536;
  for (unsigned fd = first; fd <= std::min(last, files_max); ++fd) {
    (void)::close(static_cast<int>(fd));
  }
}

void reset_signals(void (*handler)(int)) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    action.sa_handler = handler;
    (void)::sigaction(number, &action, nullptr);  // SIGKILL and SIGSTOP refuse
  }
}

}  // namespace pi_mcp::io
