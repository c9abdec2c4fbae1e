// A lock file that says whether the process it belongs to is alive. A process id cannot: it may be
// somebody else's by now, or of another machine that shares the folder.
#pragma once

#include <string>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

class OwnerLock {
 public:
  // Makes the file (absolute; 0600, folders 0700) and owns it until the end of this object or of
  // the process, whatever ends it. Not handed on to children. io: the system's reason.
  static Result<OwnerLock> take(std::string path);

  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;
  OwnerLock(OwnerLock&&) noexcept = default;
  OwnerLock& operator=(OwnerLock&&) = delete;
  // Removes the file.
  ~OwnerLock();

 private:
  OwnerLock(std::string path, Fd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  Fd fd_;
};

// Whether somebody owns this file now. A file that does not exist has no owner.
[[nodiscard]] bool has_owner(const std::string& path);

}  // namespace pi_mcp::io
