// Which rights a login asks for. Pure.
#pragma once

#include <optional>
#include <string>

#include "auth/challenge.h"
#include "auth/client_settings.h"
#include "auth/credentials.h"
#include "auth/metadata.h"

namespace pi_mcp::auth {

// The scope of an authorization request (MCP 2026-07-28 basic/authorization "Scope selection"): the
// configured one, else what the server demands, else all that it supports, else none. With
// offline_access where the authorisation server lists it. For more rights than before, the old ones
// stay.
std::string choose_scope(const ClientSettings& settings,
                         const std::optional<Demand>& demand,
                         const std::optional<ResourceMetadata>& resource,
                         const ServerMetadata& server,
                         const std::optional<Credentials>& known);

}  // namespace pi_mcp::auth
