// What runs in a gateway, as other processes are told of it, whichever session uses it. Pure.
#pragma once

#include <string>

#include "runs/run_record.h"
#include "servers/pool.h"

namespace pi_mcp::gateway {

// Without its last words.
runs::RunServer run_server(const servers::PoolRun& run, TimePoint now);
// Those, as they may be kept.
std::string words_of(const servers::PoolRun& run);

}  // namespace pi_mcp::gateway
