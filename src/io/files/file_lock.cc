#include "io/files/file_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"

namespace pi_mcp::io {
namespace {

std::string cannot_open(const std::string& name, int why) {
  return "cannot open " + name + ": " + reason(why);
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_take(const std::string& path) {
  constexpr unsigned folder_mode = 0700;
  if (auto made = make_folders(path.substr(0, path.rfind('/')), folder_mode); !made) {
    return fail(std::move(made).error());
  }
  return lock(Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)), path);
}

Result<std::optional<FileLock>> FileLock::try_take_in(const Fd& folder, const std::string& name) {
  return lock(
      Fd(::openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)),
      name);
}

std::string FileLock::obstacle_in(const Fd& folder, const std::string& name) {
  const Fd file(::openat(folder.get(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  const bool is_missing = !file.is_open() && errno == ENOENT;
  const bool would_open =
      file.is_open() ||
      (is_missing && ::faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) == 0);
  return would_open ? "" : cannot_open(name, errno);
}

Result<FileLock> FileLock::wait_in(const Fd& folder, const std::string& name, Milliseconds limit) {
  const TimePoint deadline = now() + limit;
  for (;;) {
    Result<std::optional<FileLock>> lock = try_take_in(folder, name);
    if (!lock) {
      return fail(std::move(lock).error());
    }
    if (*lock) {
      return std::move(**lock);
    }
    if (now() >= deadline) {
      return fail(ErrorCode::timed_out, name + " is locked by another process for too long");
    }
    (void)::poll(nullptr, 0, 1);  // flock() tells nobody when it is free
  }
}

Result<std::optional<FileLock>> FileLock::lock(Fd file, const std::string& name) {
  if (!file.is_open()) {
    return fail(ErrorCode::io, cannot_open(name, errno));
  }
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::optional<FileLock>();
    }
    if (errno != EINTR) {
      return fail(ErrorCode::io, "cannot lock " + name + ": " + reason(errno));
    }
  }
  return std::optional(FileLock(std::move(file)));
}

Task<Result<FileLock>> take_lock(std::string path, Milliseconds wait_max) {
  const TimePoint deadline = now() + wait_max;
  // flock() tells nobody when it is free, so it is asked again, less and less often.
  Milliseconds pause(1);
  constexpr Milliseconds pause_max(50);
  while (true) {
    Result<std::optional<FileLock>> lock = FileLock::try_take(path);
    if (!lock) {
      co_return fail(std::move(lock).error());
    }
    if (*lock) {
      co_return std::move(**lock);
    }
    if (now() >= deadline) {
      co_return fail(ErrorCode::timed_out,
                     path + " is locked by another process for more than " +
                         std::to_string(wait_max.count()) + " ms");
    }
    if (Result<void> slept = co_await sleep_for(pause); !slept) {
      co_return fail(std::move(slept).error());
    }
    pause = std::min(pause * 2, pause_max);
  }
}

}  // namespace pi_mcp::io
