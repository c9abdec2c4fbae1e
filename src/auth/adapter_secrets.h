// What the Pi MCP Adapter stores in the desktop's keyring, read so that a user who changes over
// need not log in again. Never written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/credentials.h"
#include "auth/keyring.h"
#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::auth {

// Logins it made, and what `pi-mcp-adapter token set` stored.
constexpr std::string_view adapter_logins = "pi-mcp-adapter.oauth";
constexpr std::string_view adapter_bearers = "pi-mcp-adapter.bearer";

// The entry of a server in one of these two, put together where it is in pieces. nullopt: none.
// unavailable: the keyring does not answer, or a piece is missing.
io::Task<Result<std::optional<std::string>>> find_adapter_secret(Keyring keyring,
                                                                 std::string service,
                                                                 std::string server);

// {"token", "serverUrl"}. nullopt: it is for another url, or not in this form.
std::optional<std::string> parse_adapter_bearer(std::string_view json, std::string_view url);

// {"tokens": {"accessToken", "refreshToken"?, "expiresAt"? (s), "scope"?, "issuer"?},
// "clientInfo"?, "serverUrl"}. nullopt: it is for another url, or holds no token.
std::optional<ForeignLogin> parse_adapter_login(std::string_view json, std::string_view url);

}  // namespace pi_mcp::auth
