// The one spelling of a path.
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
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

// One question in place of one for each part of the path. False: a part is a link, or nobody can
// tell (before Linux 5.6, or behind a filter of system calls).
bool has_no_link(const std::string& path) {
  struct open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const Fd found(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  return found.is_open() || errno == ENOENT;
}

}  // namespace

std::string canonical_path(const std::string& path) {
  if (is_plain(path) && has_no_link(path)) {
    return path;
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
