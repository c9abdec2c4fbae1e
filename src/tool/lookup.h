// From the name in a call to one tool of one server. Starts servers only for names that nobody
// knows yet.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "base/shared_text.h"
#include "catalog/catalog.h"
#include "io/loop/task.h"
#include "registry/search_index.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/request.h"

namespace pi_mcp::tool {

// The tool of a call. A copy, because the catalog may change while the call waits.
struct Target {
  std::string server;
  std::string tool;  // the server's own name
  std::string name;  // displayed
  SharedText schema;
  SharedText annotations;
  std::string resource_uri;  // not empty: a resource that is read

  explicit Target(const catalog::CatalogTool& found);
  // A resource that is not a tool.
  Target(std::string server, const std::string& uri);
  [[nodiscard]] bool is_resource() const { return !resource_uri.empty(); }
};

// A resource as it is read by its uri: under the names of its tool, if it is one.
Target resource_target(const registry::ServerRegistry& registry,
                       const std::string& server,
                       const std::string& uri);

// A tool, or the answer that refuses the call.
using FoundTarget = tl::expected<Target, Answer>;

// One lookup; every part outlives it.
struct LookupParts {
  registry::ServerRegistry* registry = nullptr;
  registry::SearchIndex* index = nullptr;
  const ToolRequest* request = nullptr;
  const CallContext* context = nullptr;
};

// Looks among the servers that are enabled, or in the one that the request names; starts nothing.
// nullopt: nobody is known to have the tool, but a server that may have it could be asked.
std::optional<FoundTarget> find_known(const LookupParts& parts);

// Whether the request or the tool's name says which server has it.
bool names_a_server(const LookupParts& parts);

// For a tool that find_known() does not know: starts the named server, or those whose prefix the
// name has, longest prefix first, until one has the tool; else refuses with the nearest names.
io::Task<FoundTarget> find_by_starting(LookupParts parts);

// The tool as its server lists it now, after a start.
FoundTarget find_again(const registry::ServerRegistry& registry,
                       const ToolRequest& request,
                       const Target& target);

// Connects the server. Refuses in backoff, and when the start fails.
io::Task<tl::expected<void, Answer>> start_for_call(LookupParts parts, std::string server);

}  // namespace pi_mcp::tool
