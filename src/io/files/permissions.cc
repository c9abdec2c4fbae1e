#include "io/files/permissions.h"

#include <sys/stat.h>

#include <cerrno>

#include "io/files/fd.h"

namespace pi_mcp::io {

bool others_may_read(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

Result<void> make_private(const std::string& path) {
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return fail(ErrorCode::io, "cannot change who may read " + path + ": " + reason(errno));
  }
  return {};
}

}  // namespace pi_mcp::io
