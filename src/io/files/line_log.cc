#include "io/files/line_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace pi_mcp::io {

Result<LineLog> LineLog::open(const std::string& path) {
  // A description of our own, so that O_NONBLOCK is ours alone.
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd.is_open()) {
    return fail(ErrorCode::io, "cannot write " + path + ": " + reason(errno));
  }
  return LineLog(std::move(fd));
}

// Lines are shorter than PIPE_BUF, so a pipe takes one whole or not at all.
void LineLog::append(std::string_view line) {
  ssize_t count = 0;
  do {
    count = ::write(fd_.get(), line.data(), line.size());
  } while (count < 0 && errno == EINTR);
  left_out_ += count < 0 ? 1 : 0;
}

}  // namespace pi_mcp::io
