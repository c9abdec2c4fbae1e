// What a tools/call of the host wants besides its answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "json/document.h"
#include "mcp/revisions.h"
#include "servers/launch/launch.h"
#include "servers/link/connection.h"
#include "servers/link/host_link.h"

namespace pi_mcp::tool {

// Called on the loop while the request runs; an empty function is not called.
struct CallContext {
  // notifications/progress of the server for this call, params as they came.
  std::function<void(json::Value params)> on_progress;
  // A phase of ours that takes long ("starting github"), for progress upward and for terminals.
  std::function<void(std::string_view what)> on_phase;
  // The server is asked now ("calling github_search"), and no phase of ours is under way; for
  // terminals.
  std::function<void(std::string_view what)> on_asked;

  // Whether the details of the answer go up with it.
  bool wants_details = false;
  mcp::Revision revision = mcp::newest_by_handshake;  // of the request

  std::string meta;                            // see servers::CallOptions
  const std::string* cancel_reason = nullptr;  // the same

  // Answers what we and the server ask while the request runs; null where nobody can be asked.
  std::shared_ptr<servers::HostLink> host;

  // Of a request to a server that is made for it.
  [[nodiscard]] servers::CallOptions options(const servers::Deadlines& deadlines,
                                             const void* session) const {
    return {.quiet_max = deadlines.call_quiet,
            .total_max = deadlines.call_total,
            .on_progress = on_progress,
            .host = host,
            .session = session,
            .meta = meta,
            .cancel_reason = cancel_reason};
  }

  void phase(std::string_view what) const {
    if (on_phase) {
      on_phase(what);
    }
  }
};

}  // namespace pi_mcp::tool
