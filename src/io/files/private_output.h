// A file for its owner alone that is written bit by bit.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

class PrivateOutput {
 public:
  // Empties a file that is there, and makes it private. io: the system refuses.
  static Result<PrivateOutput> open(const std::string& path);
  // A new file in place of what is there; a link there is replaced, not followed. io, as above.
  static Result<PrivateOutput> replace(const std::string& path);
  Result<void> append(std::string_view text);

 private:
  PrivateOutput(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace pi_mcp::io
