#include "io/files/private_output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pi_mcp::io {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path) {
  return fail(ErrorCode::io, "cannot write " + path + ": " + reason(errno));
}

}  // namespace

Result<std::optional<PrivateOutput>> PrivateOutput::open_unused(const std::string& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  struct stat status{};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) {
    return cannot_write(path);
  }
  if (S_ISREG(status.st_mode)) {
    // Where files cannot be locked, what is in them has to do.
    const bool is_locked = ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (is_locked || ::fstat(fd.get(), &status) != 0 || status.st_size > 0) {
      return std::nullopt;
    }
    if (::fchmod(fd.get(), 0600) != 0) {
      return cannot_write(path);
    }
  }
  return PrivateOutput(std::move(fd), path);
}

Result<PrivateOutput> PrivateOutput::replace(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return cannot_write(path);
  }
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  return fd.is_open() ? Result<PrivateOutput>(PrivateOutput(std::move(fd), path))
                      : cannot_write(path);
}

Result<void> PrivateOutput::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd_.get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return cannot_write(path_);
    }
    text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace pi_mcp::io
