// What we say of ourselves: in the answers to initialize and to server/discover. Pure.
#pragma once

#include <string_view>

#include "json/writer.h"
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

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

}  // namespace pi_mcp::mcp
