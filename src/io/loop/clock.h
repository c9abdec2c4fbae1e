// Reads the clocks; everything that decides is handed the value (base/time.h).
#pragma once

#include "base/time.h"

namespace pi_mcp::io {

TimePoint now();
EpochMs epoch_now();

}  // namespace pi_mcp::io
