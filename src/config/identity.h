// The hash that binds a cached catalog to the definition of its server, as the seed documents give
// it: SHA-256 of a canonical text of ten raw fields. Pure.
#pragma once

#include <string>

#include "config/environment.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// The canonical text: no white space, keys sorted by UTF-16 code unit, values as JavaScript's
// JSON.stringify writes them, and the bare word `undefined` for an absent field of the ten.
std::string identity_text(json::Value entry);

// 64 hexadecimal digits. `entry` is a server entry as configured (Server::entry_json).
std::string identity_hash(json::Value entry);

// 64 hexadecimal digits that differ when the server is used as somebody else: everything of its
// definition that may be or choose a credential, with variables replaced. The output of commands is
// not known here: their text counts; and so does that a login is used, not which one.
std::string authorization_context(const Server& server, const Environment& environment);

}  // namespace pi_mcp::config
