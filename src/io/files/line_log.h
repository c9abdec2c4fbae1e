// A file, or a pipe, to which lines are added. Whoever writes never waits for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

class LineLog {
 public:
  // A new file is for its owner alone. io: the system refuses.
  static Result<LineLog> open(const std::string& path);
  // A whole line. One that the other end of a pipe has no room for is left out.
  void append(std::string_view line);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  explicit LineLog(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
  std::uint64_t left_out_ = 0;
};

}  // namespace pi_mcp::io
