// The one spelling of a path.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "io/files/fd.h"
#include "io/files/file.h"

namespace pi_mcp::io {
namespace {

// Absolute, and without anything that realpath(3) takes out.
bool is_plain(const std::string& path) {
  const std::string ended = path + "/";
  return path.starts_with('/') && ended.find("//") == std::string::npos &&
         ended.find("/./") == std::string::npos && ended.find("/../") == std::string::npos;
}

enum class Look { found, missing, unknown };

// One question in place of one for each part of the path. Unknown: a part is a link, or nobody can
// tell (before Linux 5.6, or behind a filter of system calls).
Look look_without_links(const std::string& path) {
  struct open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const Fd found(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  return found.is_open() ? Look::found : errno == ENOENT ? Look::missing : Look::unknown;
}

// Where the kernel says that a path with links leads: two questions more, where realpath(3) asks
// about each part with all that is before it. Empty: it is not known.
std::string led_to(const std::string& path) {
  const Fd opened(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!opened.is_open()) {
    return {};
  }
  std::array<char, PATH_MAX> text{};
  const std::string link = "/proc/self/fd/" + std::to_string(opened.get());
  const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
  std::string target(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  const bool is_whole = target.starts_with('/') && target.size() < text.size();
  return is_whole && look_without_links(target) == Look::found ? target : std::string();
}

}  // namespace

std::string canonical_path(const std::string& path) {
  if (is_plain(path) && look_without_links(path) != Look::unknown) {
    return path;
  }
  if (std::string target = led_to(path); !target.empty()) {
    return target;
  }
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  return resolved ? std::string(resolved.get()) : path;
}

std::string path_of(const Fd& opened) {
  return canonical_path("/proc/self/fd/" + std::to_string(opened.get()));
}

}  // namespace pi_mcp::io
