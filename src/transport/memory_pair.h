// Two linked transports in memory, for tests of what speaks over one.
#pragma once

#include <memory>
#include <utility>

#include "io/loop/task.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// What one end sends the other receives, through the same checks as lines of a stream; text that is
// no message is counted as junk there. Both must be destroyed before the loop.
std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(
    const io::Executor& executor);

}  // namespace pi_mcp::transport
