// Which stored secrets servers want and do not find, and which tokens stand in files in plain text.
#pragma once

#include "doctor/facts.h"
#include "doctor/gather.h"
#include "io/loop/task.h"

namespace pi_mcp::doctor {

// Adds both to the servers of `facts`. The keyring is asked for names, once, if a server uses one
// that the file of secrets does not have. All outlive it.
io::Task<void> look_at_secrets(const Place* place, Facts* facts);

}  // namespace pi_mcp::doctor
