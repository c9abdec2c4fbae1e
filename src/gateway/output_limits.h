// What of a server's results reaches a session's host, and where the rest goes.
#pragma once

#include <string>

#include "config/environment.h"
#include "config/settings.h"
#include "render/host_kind.h"
#include "render/relay.h"

namespace pi_mcp::gateway {

render::RelayLimits relay_limits(const config::Settings& settings,
                                 const config::Environment& environment,
                                 render::HostKind host);

// The folder for temporary files of this environment.
std::string temp_dir(const config::Environment& environment);

}  // namespace pi_mcp::gateway
