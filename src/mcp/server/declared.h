// What we say of ourselves, or of the one server that we stand for: in the answers to initialize
// and to server/discover. Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/writer.h"
#include "mcp/client_session.h"
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

// Members of results of 2026-07-28 that say for how long and for whom they are good. Any word of a
// server or of the user may change what we list, and what is listed depends on who asks. Whoever
// wants to keep it listens.
constexpr std::string_view list_caching = R"("ttlMs":0,"cacheScope":"private")";

struct DeclaredCapabilities {
  bool logging = true;
  bool prompts = true;
  bool completions = true;
  bool resources = true;
  bool tools = true;
};

// The member "capabilities" of an open object.
void write_capabilities(json::Writer& out, const DeclaredCapabilities& capabilities);
// The object "serverInfo". `version`: of this program.
void write_server_info(json::Writer& out, std::string_view version, Revision revision);

// The result of initialize in which a server is introduced with what it has said of itself, to a
// host of this revision. Tasks of 2025-11-25 are left out: whose they are, a connection that
// several hosts share cannot tell.
std::string introduction_of(const ServerDescription& server, Revision revision);
// The same for server/discover.
std::string discovery_of(const ServerDescription& server);

}  // namespace pi_mcp::mcp
