// Waiting for time to pass.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// cancelled: the waiting task was cancelled before the time was over.
Task<Result<void>> sleep_for(Duration time);

}  // namespace pi_mcp::io
