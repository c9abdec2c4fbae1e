// The hash that binds a cached catalog to the definition of its server, as the seed documents give
// it: SHA-256 of a canonical text of ten raw fields. Pure.
#pragma once

#include <string>

#include "json/document.h"

namespace pi_mcp::config {

// The canonical text: no white space, keys sorted by UTF-16 code unit, values as JavaScript's
// JSON.stringify writes them, and the bare word `undefined` for an absent field of the ten.
std::string identity_text(json::Value entry);

// 64 hexadecimal digits. `entry` is a server entry as configured (Server::entry_json).
std::string identity_hash(json::Value entry);

}  // namespace pi_mcp::config
