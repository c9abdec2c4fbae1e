// From the name in a call to one tool of one server. Starts servers, and waits for lists, only for
// names that nobody knows yet.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "base/shared_text.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/mode_parts.h"
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
  const ModeParts* mode = nullptr;
  const ToolRequest* request = nullptr;
  const CallContext* context = nullptr;
};

// The disabled server of that name, that has the tool of that name, or whose prefix it has; empty
// for none.
std::string disabled_home(const registry::ServerRegistry& registry, const std::string& name);

// Looks among the servers that are enabled, or in the one that the request names; starts nothing.
// nullopt: nobody is known to have the tool, but a server that may have it could be asked.
std::optional<FoundTarget> find_known(const LookupParts& parts);

// The server that the request names, or those whose prefix the tool's name has; empty: nothing says
// where it is.
std::vector<std::string> likely_servers(const registry::ServerRegistry& registry,
                                        const ToolRequest& request);

// For a name that none of them is known to have, or no server if there are none: waits until
// `found` or until the lists of those that are connected have come that are on their way; where
// there are none, they are read again once a minute. Until the deadline at most. `registry`
// outlives the task.
io::Task<void> wait_for_lists(const registry::ServerRegistry* registry,
                              std::vector<std::string> servers,
                              std::function<bool()> found,
                              TimePoint deadline);

// For a tool that find_known() does not know: starts the named server, or those whose prefix the
// name has, longest prefix first, until one has the tool; else refuses with the nearest names.
io::Task<FoundTarget> find_by_starting(LookupParts parts);

// Says that nobody has it, what `server` has (empty: nothing says where it could be), and the
// nearest names.
Answer not_found(const LookupParts& parts, const std::string& server);

// The tool as its server lists it now, after a start.
FoundTarget find_again(const registry::ServerRegistry& registry,
                       const ToolRequest& request,
                       const Target& target);

// Connects the server. Refuses in backoff, and when the start fails.
io::Task<tl::expected<void, Answer>> start_for_call(LookupParts parts, std::string server);

}  // namespace pi_mcp::tool
