// The stored secrets of a launch: ${keyring:NAME}.
#pragma once

#include "base/result.h"
#include "config/settings.h"
#include "io/loop/task.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {

// Adds those that the server names to the environment of its launch. An entry that names none costs
// nothing; each name is asked for once. invalid_argument: one is not stored, cannot be a name, or
// stands in the file of another host, where it is that host's own text. unavailable: the keyring
// does not answer. Both name the field and what to do. cancelled.
io::Task<Result<void>> add_secrets(config::Server server,
                                   config::Settings settings,
                                   LaunchEnvironment* environment);

}  // namespace pi_mcp::servers
