// Logins that Pi's own MCP client has made (`pi mcp login`), read so that a user who changes over
// need not log in again. Never written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/credentials.h"

namespace pi_mcp::auth {

// <agentDir>/mcp-auth.json as Pi 0.99 to 1.5 keeps it: an object with a member for each server,
// "mcp__NAME|URL" (the name with _ for -, the url as a browser writes it) or, from older versions,
// "URL": {"tokens"?: {"access_token", "refresh_token"?, "scope"?}, "tokensExpireAt"? (ms since
// 1970), "clientInformation"?: {"client_id", "client_secret"?}, "discovery"?:
// {"authorizationServerMetadata"?: {"issuer"}, "authorizationServerUrl"}}. nullopt: it holds no
// token for this server at this url.
std::optional<ForeignLogin> parse_pi_login(std::string_view json,
                                           std::string_view server,
                                           std::string_view url);

// The same of the file. A file that cannot be read holds none.
std::optional<ForeignLogin> find_pi_login(const std::string& agent_dir,
                                          std::string_view server,
                                          std::string_view url);

}  // namespace pi_mcp::auth
