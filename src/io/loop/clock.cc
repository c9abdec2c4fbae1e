#include "io/loop/clock.h"

#include <chrono>

namespace pi_mcp::io {

TimePoint now() {
  return std::chrono::steady_clock::now();
}

EpochMs epoch_now() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return EpochMs{std::chrono::duration_cast<Milliseconds>(since_epoch).count()};
}

}  // namespace pi_mcp::io
