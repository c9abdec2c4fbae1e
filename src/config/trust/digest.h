// Digests that an answer of the user is kept for: of one server's entry, and of what a file says
// beside its servers. White space, comments and the order of keys do not count. Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/raw.h"
#include "json/document.h"

namespace pi_mcp::config {

// 64 hexadecimal digits.
std::string entry_digest(std::string_view server, json::Value entry);
// Of all that a file says beside its servers.
std::string settings_digest(const Layer& layer);
// What settings_digest() is about, JSON.
std::string settings_text(const Layer& layer);
// The digest of an entry that two files make together.
std::string joined_digest(std::string_view first, std::string_view second);

}  // namespace pi_mcp::config
