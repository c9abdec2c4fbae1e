// What the shell's `pi-mcp setup` and /mcp setup of a host both start from.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/setup.h"
#include "setup/plan.h"

namespace pi_mcp::cli {

// See setup::make_plan(). `hosts` empty: every host that is here.
Result<setup::Plan> plan_setup(const Setup& setup, std::vector<std::string> hosts, bool copy);

// Names the copies of changed files; of the local time, as people compare it with their clock.
std::string stamp_of_now();

}  // namespace pi_mcp::cli
