// What `pi-mcp emit-ts` prints: TypeScript types of the tools of servers, and a client of them that
// needs nothing but pi-mcp. Pure.
#pragma once

#include <string>
#include <vector>

#include "catalog/tool.h"

namespace pi_mcp::cli {

struct EmittedServer {
  std::string name;
  std::vector<catalog::CatalogTool> tools;
};

struct TypeScriptFile {
  std::string text;
  // Where a schema was too much, so that its type is wider than it: "XInput: deeper than 24
  // levels".
  std::vector<std::string> cuts;
};

// The same for the same tools, whenever it is made.
TypeScriptFile typescript_file(const std::vector<EmittedServer>& servers, bool with_client);

}  // namespace pi_mcp::cli
