#include "servers/start_turns.h"

#include <algorithm>

namespace pi_mcp::servers {

std::optional<TimePoint> StartTurns::wait_until(bool background, TimePoint now) const {
  std::size_t all = 0;
  std::size_t in_background = 0;
  TimePoint first_end = TimePoint::max();
  TimePoint first_background_end = TimePoint::max();
  for (const auto& [id, start] : begun_) {
    if (start.turn_ends <= now) {
      continue;
    }
    ++all;
    first_end = std::min(first_end, start.turn_ends);
    if (start.background) {
      ++in_background;
      first_background_end = std::min(first_background_end, start.turn_ends);
    }
  }
  if (all >= limits_.total) {
    return first_end;
  }
  if (background && in_background >= limits_.background) {
    return first_background_end;
  }
  return std::nullopt;
}

StartTurns::Id StartTurns::begin(bool background, TimePoint now) {
  begun_.emplace(++last_, Start{.turn_ends = now + limits_.turn, .background = background});
  return last_;
}

}  // namespace pi_mcp::servers
