// The part of resolve_launch() for servers that are reached, not started.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/task.h"
#include "servers/launch/launch.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {

// Errors as of resolve_launch(), without the server's name.
io::Task<Result<RemoteLaunch>> resolve_remote(config::Server server,
                                              LaunchEnvironment environment,
                                              config::Settings settings);

// What names proxies and roots of certificates.
[[nodiscard]] bool is_network_variable(std::string_view name);
std::map<std::string, std::string> network_environment(const config::Environment& environment);

// An absolute path.
Result<std::string> resolve_socket(const config::Server& server,
                                   const LaunchEnvironment& environment);

}  // namespace pi_mcp::servers
