// The hashes that bind a cached catalog to the definition of its server: ours, as the seed
// documents give it, and the one of pi-mcp-adapter (docs/decisions/0061-hash-of-the-adapter.md).
// And whose folder what is kept for somebody is in. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/environment.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// The canonical text: no white space, keys sorted by UTF-16 code unit, values as JavaScript's
// JSON.stringify writes them, and the bare word `undefined` for an absent field of the ten.
std::string identity_text(json::Value entry);

// SHA-256 of that of ten raw fields: 64 hexadecimal digits. `entry` is a server entry as configured
// (Server::entry_json).
std::string identity_hash(json::Value entry);

// By which pi-mcp-adapter 2.36 and what is built for it (pi-subagents) look up a server in the
// cache: the same of fifteen fields with variables replaced. nullopt where the adapter has none
// either: a variable of the url is not set, a field has a wrong type.
std::optional<std::string> adapter_hash(json::Value entry, const Environment& environment);

// 64 hexadecimal digits for what runs under a server's name: entries of one name that start or
// reach something else, or stand in the files of different projects, have different ones.
std::string entry_identity(const Server& server);

// 64 hexadecimal digits that differ when the server is used as somebody else: everything of its
// definition that may be or choose a credential, with variables replaced. The output of commands is
// not known here: their text counts; and so does that a login is used, not which one.
std::string authorization_context(const Server& server, const Environment& environment);

// Holds a folder for each principal, by its id.
std::string principals_dir(std::string_view agent_dir);
// Where is kept what a principal has of its own: one that comes over HTTP by a token. `principal`
// is its id, hexadecimal digits; empty: the user, whose things are in the agent's folder itself.
std::string own_dir(std::string_view agent_dir, std::string_view principal);

}  // namespace pi_mcp::config
