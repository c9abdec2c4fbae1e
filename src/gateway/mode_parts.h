// What the modes of one session work with.
#pragma once

#include <cstddef>
#include <functional>

#include "gateway/host_kind.h"
#include "gateway/relay.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {

class ApprovalGate;
class DirectTools;
class Logins;
class Roster;
class SchemaMemo;
class SearchIndex;
class TrustDesk;

// The pointers outlive every request.
struct ModeParts {
  Roster* roster = nullptr;
  SearchIndex* index = nullptr;
  SchemaMemo* schemas = nullptr;
  ApprovalGate* gate = nullptr;
  DirectTools* direct = nullptr;
  Logins* logins = nullptr;
  const TrustDesk* trust = nullptr;
  HostKind host = HostKind::mcp;
  RelayLimits limits;
  std::size_t details_bytes_max = 0;  // larger raw results are summarised in the details
  Spill spill;
  MarksOf marks_of;                // what stands behind the names of tools
  std::function<void()> on_shown;  // a search has shown tools
};

}  // namespace pi_mcp::gateway
