// Members of "_meta" that only we write: those below "pi-mcp/", by which our extension and command
// line know what is ours. What comes from a server is passed on without them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::mcp {

constexpr std::string_view own_meta_prefix = "pi-mcp/";

// A result of a server, or a block of one, without such members: of itself and of what it contains
// (content, contents, messages, resource), not of structured content, which is data. nullopt: it
// has none, and its bytes can be passed on.
std::optional<std::string> without_own_meta(json::Value value);

// Writes a member of a server's params, without ours where it is "_meta".
void write_foreign_member(json::Writer& out, const json::Member& member);

}  // namespace pi_mcp::mcp
