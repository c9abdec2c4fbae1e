// The two clocks of the program. Pure code never reads them: it is handed a value.
#pragma once

#include <chrono>
#include <cstdint>

namespace pi_mcp {

// For deadlines and ages inside one process; never goes back.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;
using Milliseconds = std::chrono::milliseconds;

// Milliseconds since 1970, for what is written to files.
struct EpochMs {
  std::int64_t value = 0;
  auto operator<=>(const EpochMs&) const = default;
};

}  // namespace pi_mcp
