// What was kept for a token that is no more.
#pragma once

#include <cstddef>
#include <string>

#include "cli/setup.h"
#include "io/loop/task.h"

namespace pi_mcp::cli {

// Ends the logins of the principal with this id and removes what else is its own
// (config::own_dir()). Authorization servers are told as far as the servers are still configured
// and they answer. How many logins there were.
io::Task<std::size_t> forget_principal(io::Executor executor, const Setup* setup, std::string id);

}  // namespace pi_mcp::cli
