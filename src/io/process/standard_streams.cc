#include "io/process/standard_streams.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "io/loop/signals.h"
#include "io/process/kernel.h"

namespace pi_mcp::io {

StandardStreams::Saved StandardStreams::save(int standard) {
  open_standard_files();
  return {.fd = Fd(::fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), .flags = -1};
}

Fd StandardStreams::open_for_loop(Saved& saved, int access) {
  struct stat status{};
  if (::fstat(saved.fd.get(), &status) != 0) {
    return {};
  }
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
    Fd own = open_anew(saved.fd.get(), access | O_NONBLOCK | O_NOCTTY);
    if (own.is_open()) {
      return own;
    }
  }
  if (!S_ISREG(status.st_mode)) {
    const int flags = ::fcntl(saved.fd.get(), F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK) == 0 &&
        ::fcntl(saved.fd.get(), F_SETFL, flags | O_NONBLOCK) == 0) {
      saved.flags = flags;
    }
  }
  return Fd(::fcntl(saved.fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

StandardStreams::StandardStreams(const Executor& executor)
    : saved_input_(save(STDIN_FILENO)),
      saved_output_(save(STDOUT_FILENO)),
      input_(executor, open_for_loop(saved_input_, O_RDONLY)),
      output_(executor, open_for_loop(saved_output_, O_WRONLY)) {
  ignore_broken_pipes();
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing.is_open()) {
    (void)::dup2(nothing.get(), STDIN_FILENO);
  }
  (void)::dup2(STDERR_FILENO, STDOUT_FILENO);
}

StandardStreams::~StandardStreams() {
  input_.close();
  output_.close();
  (void)std::fflush(stdout);  // what was printed meanwhile belongs to stderr
  for (const auto& [saved, standard] :
       {std::pair(&saved_input_, STDIN_FILENO), std::pair(&saved_output_, STDOUT_FILENO)}) {
    if (saved->flags >= 0) {
      (void)::fcntl(saved->fd.get(), F_SETFL, saved->flags);
    }
    if (saved->fd.is_open()) {
      (void)::dup2(saved->fd.get(), standard);
    }
  }
}

}  // namespace pi_mcp::io
