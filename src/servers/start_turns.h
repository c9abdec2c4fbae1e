// Decides how many servers start at once, so that thirty of them do not start thirty programs in
// one moment, and yet no server that hangs keeps others from starting. Pure: time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/time.h"

namespace pi_mcp::servers {

struct StartLimits {
  std::size_t total = 10;
  // Of them at most these for nobody in particular (a session that warms up), so that a call finds
  // a turn free.
  std::size_t background = 8;
  // A start under way for longer waits for its server and costs us nothing: it has had its turn.
  // With as many of them as there are turns, a call waits this long at most for its own.
  Milliseconds turn{2000};
};

class StartTurns {
 public:
  using Id = std::uint64_t;

  explicit StartTurns(StartLimits limits) : limits_(limits) {}

  // nullopt: a start may begin now. Else ask again at this time, or after end() if that is sooner.
  [[nodiscard]] std::optional<TimePoint> wait_until(bool background, TimePoint now) const;
  Id begin(bool background, TimePoint now);
  void end(Id id) { begun_.erase(id); }

 private:
  struct Start {
    TimePoint turn_ends;
    bool background;
  };

  StartLimits limits_;
  std::map<Id, Start> begun_;  // the oldest first
  Id last_ = 0;
};

}  // namespace pi_mcp::servers
