#include "io/files/owner_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/files/file.h"

namespace pi_mcp::io {
namespace {

tl::unexpected<Error> refused(const std::string& path, int error_number) {
  return fail(ErrorCode::io, "cannot lock " + path + ": " + reason(error_number));
}

// False when somebody who took it for a dead one's has removed the file meanwhile.
bool is_at(const Fd& file, const std::string& path) {
  struct stat ours{};
  struct stat there{};
  return ::fstat(file.get(), &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

// Waits only for readers that look at it: has_owner() holds the lock for a moment.
int lock(const Fd& file, int kind) {
  int result = -1;
  do {
    result = ::flock(file.get(), kind);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

}  // namespace

Result<OwnerLock> OwnerLock::take(std::string path) {
  if (Result<void> made = make_folders(path.substr(0, path.rfind('/'))); !made) {
    return fail(std::move(made).error());
  }
  constexpr int tries = 10;  // each failure is a reader that removed the file in between
  for (int i = 0; i < tries; ++i) {
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.is_open()) {
      return refused(path, errno);
    }
    if (const int failed = lock(file, LOCK_EX); failed != 0) {
      return refused(path, failed);
    }
    if (is_at(file, path)) {
      return OwnerLock(std::move(path), std::move(file));
    }
  }
  return refused(path, EAGAIN);
}

OwnerLock::~OwnerLock() {
  if (fd_.is_open()) {
    (void)::unlink(path_.c_str());  // what stays is removed by the next reader
  }
}

bool has_owner(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return file.is_open() && lock(file, LOCK_SH | LOCK_NB) == EWOULDBLOCK;
}

}  // namespace pi_mcp::io
