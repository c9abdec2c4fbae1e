// What the modes of one session work with.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>

#include "base/time.h"
#include "io/loop/task.h"
#include "render/host_kind.h"
#include "render/relay.h"
#include "tool/first_use.h"
#include "tool/text.h"

namespace pi_mcp::registry {
class ServerRegistry;
class SearchIndex;
class SessionObservers;
}  // namespace pi_mcp::registry

namespace pi_mcp::tool {

class ApprovalGate;
class DirectTools;
class Logins;
class ResourceOwners;
class SchemaCache;
class TrustGate;
struct ConfigAccess;

// The pointers outlive every request.
struct ModeParts {
  registry::ServerRegistry* registry = nullptr;
  registry::SearchIndex* index = nullptr;
  SchemaCache* schemas = nullptr;
  ApprovalGate* gate = nullptr;
  DirectTools* direct = nullptr;
  Logins* logins = nullptr;
  ResourceOwners* owners = nullptr;
  TrustGate* trust = nullptr;
  const ConfigAccess* access = nullptr;
  render::HostKind host = render::HostKind::mcp;
  render::RelayLimits limits;
  std::size_t details_bytes_max = 0;  // larger raw results are summarised in the details
  render::SaveOutput save_output;
  MarksOf marks_of;                // what follows the names of tools
  std::function<void()> on_shown;  // a search has shown tools
  // Starts a server that nobody has asked for by name, and goes on when the request ends.
  std::function<void(const io::Executor& executor, const std::string& server)> start;
  registry::SessionObservers* observers = nullptr;
  Milliseconds first_wait{0};  // of wait_for_unknown() and wait_for_lists(), together
  ToldServers told;            // by searches, see unknown_text()
  // Servers that are being tried, which nothing else starts.
  std::set<std::string, std::less<>> tried;
};

}  // namespace pi_mcp::tool
