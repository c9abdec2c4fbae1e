// The host that started us, over our own stdin and stdout (`pi-mcp serve`).
#pragma once

#include <memory>

#include "base/time.h"
#include "io/loop/task.h"
#include "rpc/line_framer.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

struct StdioHostOptions {
  // close() gives the host this long to read what is still queued.
  Milliseconds flush_max{2000};
  rpc::LineLimits line_limits;
};

// At most one at a time. close() must have returned before destruction.
std::unique_ptr<Transport> open_stdio_host(const io::Executor& executor,
                                           StdioHostOptions options = {});

}  // namespace pi_mcp::transport
