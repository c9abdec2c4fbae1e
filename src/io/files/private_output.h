// A file for its owner alone that is written bit by bit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

class PrivateOutput {
 public:
  // Nobody else gets it while it is written, and it is private from here on. nullopt: a file with
  // content, or of somebody who writes. Devices and pipes are everybody's. io: the system refuses.
  static Result<std::optional<PrivateOutput>> open_unused(const std::string& path);
  // A new file in place of what is there; a link there is replaced, not followed. io, as above.
  static Result<PrivateOutput> replace(const std::string& path);
  Result<void> append(std::string_view text);

 private:
  PrivateOutput(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Fd fd_;
  std::string path_;
};

}  // namespace pi_mcp::io
