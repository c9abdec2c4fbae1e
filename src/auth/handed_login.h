// A login that a person hands over as text: from another machine, from an authorization server, or
// from another program. Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "auth/credentials.h"
#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::auth {

// Credentials are stored as they are; the refresh token of a foreign login is redeemed first
// (Login::take_over), which also shows that it works.
using HandedLogin = std::variant<Credentials, ForeignLogin>;

// With its secrets in it, for parse_handed_login().
std::string handed_login_text(Credentials credentials);

// One of these, as JSON: handed_login_text(); the answer of a token endpoint (RFC 6749 section
// 5.1), where with a refresh token "issuer", "client_id" and perhaps "client_secret" are beside it;
// the same in "tokens" and "clientInfo", as the MCP SDKs keep them.
// invalid_argument: none of these, or for a server other than `url`; nothing of the text is
// repeated.
Result<HandedLogin> parse_handed_login(std::string_view text, std::string_view url, EpochMs now);

}  // namespace pi_mcp::auth
