// What the modes of one session work with.
#pragma once

#include <cstddef>
#include <functional>

#include "render/host_kind.h"
#include "render/relay.h"
#include "tool/text.h"

namespace pi_mcp::registry {
class ServerRegistry;
class SearchIndex;
}  // namespace pi_mcp::registry

namespace pi_mcp::tool {

class ApprovalGate;
class DirectTools;
class Logins;
class SchemaCache;
class TrustGate;

// The pointers outlive every request.
struct ModeParts {
  registry::ServerRegistry* registry = nullptr;
  registry::SearchIndex* index = nullptr;
  SchemaCache* schemas = nullptr;
  ApprovalGate* gate = nullptr;
  DirectTools* direct = nullptr;
  Logins* logins = nullptr;
  const TrustGate* trust = nullptr;
  render::HostKind host = render::HostKind::mcp;
  render::RelayLimits limits;
  std::size_t details_bytes_max = 0;  // larger raw results are summarised in the details
  render::SaveOutput save_output;
  MarksOf marks_of;                // what follows the names of tools
  std::function<void()> on_shown;  // a search has shown tools
};

}  // namespace pi_mcp::tool
