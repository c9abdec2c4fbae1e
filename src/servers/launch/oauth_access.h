// From a configured server to what its logins need.
#pragma once

#include <optional>

#include "auth/access.h"
#include "base/result.h"
#include "base/time.h"
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

// What is stored of a login.
struct StoredLogin {
  bool is_there = false;
  std::optional<EpochMs> ends_at;  // a person has to log in again then; nullopt: not known
};
// nullopt where no person logs in. Opens nothing that is sealed or in the keyring.
std::optional<StoredLogin> stored_login(const config::Server& server,
                                        const config::Environment& environment,
                                        const config::Settings& settings);

}  // namespace pi_mcp::servers
