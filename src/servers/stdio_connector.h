// The connector of the pool for servers that are local programs.
#pragma once

#include <memory>

#include "base/result.h"
#include "io/task.h"
#include "servers/launch.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// A Pool::Connector. Errors name the command and what is wrong with it.
io::Task<Result<std::unique_ptr<transport::Transport>>> connect_stdio(Launch launch);

}  // namespace pi_mcp::servers
