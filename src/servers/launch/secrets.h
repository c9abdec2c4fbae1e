// What of a launch nobody may see: in errors, logs, the last words of a server, run records. The
// one place that decides it. Pure.
#pragma once

#include "config/environment.h"
#include "config/settings.h"
#include "secrets/secrets.h"
#include "servers/launch/launch.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {

// Stored secrets. In the environment of a child: what a `!command` printed, what variables were put
// into configured values (paths are not secrets), what is called like a secret or looks like one,
// the passwords of addresses. In arguments: variables that are called like a secret or look like
// one. In a remote server: every header, and all of its url but the address. `launch` is what
// `server` became in `environment`.
secrets::Secrets secrets_of(const config::Server& server,
                            const LaunchEnvironment& environment,
                            const Launch& launch);

}  // namespace pi_mcp::servers
