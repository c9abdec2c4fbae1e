// What was kept for somebody over HTTP who is no more.
#pragma once

#include <cstddef>
#include <string>

#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/task.h"

namespace pi_mcp::cli {

// Whose it is, and of which configuration (principal_option.h: as_served()).
struct Forgotten {
  std::string id;
  config::Environment environment;
  config::Settings settings;
};

// Ends the logins of this principal and removes what else is its own (config::own_dir()).
// Authorization servers are told as far as the servers are still configured and they answer. How
// many logins there were. Once cancelled, what is left is whole.
io::Task<std::size_t> forget_principal(io::Executor executor, Forgotten forgotten);

}  // namespace pi_mcp::cli
