#include "io/files/fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace pi_mcp::io {

void Fd::reset(int number) {
  if (number_ >= 0) {
    (void)::close(number_);  // Linux frees the number whatever close() says
  }
  number_ = number;
}

void open_standard_files() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) {
      (void)::open("/dev/null", O_RDONLY);  // the lowest free number, which is this one
    }
  }
}

Fd copy_of_standard(int number) {
  return Fd(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::string reason(int error_number) {
  return std::generic_category().message(error_number);
}

}  // namespace pi_mcp::io
