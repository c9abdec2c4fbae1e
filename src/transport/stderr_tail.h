// The last part of what a child wrote to its stderr.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pi_mcp::transport {

class StderrTail {
 public:
  // Enough for a stack trace; a limit because a server may write for days.
  static constexpr std::size_t kept_bytes = std::size_t{32} << 10U;

  void add(std::string_view bytes);
  // Safe to show; begins with a whole line unless one line fills it all.
  [[nodiscard]] std::string printable() const;

 private:
  std::string bytes_;  // at most twice kept_bytes
  bool cut_ = false;   // something was dropped before it
};

}  // namespace pi_mcp::transport
