// From a configured server to what its logins need.
#pragma once

#include "auth/access.h"
#include "base/result.h"
#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/task.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {

// Requests to it may carry an OAuth token: it has a url, and nothing else is configured to show who
// we are.
[[nodiscard]] bool may_use_oauth(const config::Server& server);

// Resolves url and oauth settings, runs `!command` values, reads the private key's file.
// invalid_argument names the field; unavailable: a command failed.
io::Task<Result<auth::Access>> resolve_access(config::Server server,
                                              LaunchEnvironment environment,
                                              config::Settings settings);

// What auth::SecretStore wants to know: where logins are stored.
auth::Access store_access(const config::Environment& environment, const config::Settings& settings);

}  // namespace pi_mcp::servers
