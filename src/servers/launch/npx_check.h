// Looks up, behind a running server, what the tag, range or name of its npx command means today,
// and installs that version for the next start (docs/decisions/0005-npx.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/loop/task.h"
#include "servers/launch/npx_start.h"

namespace pi_mcp::servers {

// Runs npm once or twice with the lowest priority: at most 5 min to ask and 30 min to install. Does
// nothing when another process is at it or has just been. Failures are logged as information: the
// installed version goes on being used, and in an hour somebody tries again. Cancelling ends npm.
io::Task<void> check_npx(NpxCheck check);

// The version that npm would take, out of what `npm view SPEC version dist-tags.latest --json`
// prints: the only one, else the latest if it is among them, else the highest release. nullopt for
// anything else. Pure.
std::optional<std::string> version_of_view(std::string_view json);

}  // namespace pi_mcp::servers
