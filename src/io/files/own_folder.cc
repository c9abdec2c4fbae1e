#include "io/files/own_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pi_mcp::io {

Result<Fd> open_own_folder(const std::string& path) {
  constexpr mode_t own = 0700;
  constexpr mode_t of_others = 077;
  if (::mkdir(path.c_str(), own) != 0 && errno != EEXIST) {
    return fail(ErrorCode::io, "cannot make " + path + ": " + reason(errno));
  }
  Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) {
    const bool other_kind = errno == ENOTDIR || errno == ELOOP;
    return fail(other_kind ? ErrorCode::invalid_argument : ErrorCode::io,
                other_kind ? path + " is a link or no folder; remove it"
                           : "cannot open " + path + ": " + reason(errno));
  }
  struct stat status{};
  if (::fstat(folder.get(), &status) != 0) {
    return fail(ErrorCode::io, "cannot look at " + path + ": " + reason(errno));
  }
  if (status.st_uid != ::geteuid()) {
    return fail(ErrorCode::invalid_argument, path + " belongs to another user");
  }
  if ((status.st_mode & of_others) != 0) {
    return fail(ErrorCode::invalid_argument,
                path + " can be used by other users; close it with: chmod 700 " + path);
  }
  return folder;
}

}  // namespace pi_mcp::io
