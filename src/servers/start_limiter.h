// Decides how many servers start at once: thirty of them do not start thirty programs in one
// moment.
#pragma once

#include <cstddef>

namespace pi_mcp::servers {

struct StartLimits {
  std::size_t total = 10;
  // At most this many of them for nobody in particular (a session that warms up), so that a call
  // finds a slot free even when every server that a session begins with hangs.
  std::size_t background = 8;
};

// A slot is held from the launch of a server until it has answered the handshake or failed at it;
// the deadlines of a start bound it.
class StartLimiter {
 public:
  explicit StartLimiter(StartLimits limits) : limits_(limits) {}

  [[nodiscard]] bool is_free(bool background) const;
  void begin(bool background);
  void end(bool background);  // after begin() with the same value

 private:
  StartLimits limits_;
  std::size_t begun_ = 0;
  std::size_t begun_in_background_ = 0;
};

}  // namespace pi_mcp::servers
