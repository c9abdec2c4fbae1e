#include "io/process/kernel.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

}  // namespace pi_mcp::io
