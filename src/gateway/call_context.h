// What a tools/call of the host wants besides its answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "io/task.h"
#include "json/document.h"
#include "rpc/message.h"

namespace pi_mcp::gateway {

// Called on the loop while the request runs; an empty function is not called.
struct CallContext {
  // notifications/progress of the server for this call, params as they came.
  std::function<void(json::Value params)> on_progress;
  // A phase of ours that takes long ("starting github"), for progress upward and for terminals.
  std::function<void(std::string_view what)> on_phase;

  // Asks the host's user (elicitation/create); empty when the host cannot. As HostRequests::ask().
  std::function<io::Task<Result<rpc::Message>>(std::string method, SharedText params)> ask;

  void phase(std::string_view what) const {
    if (on_phase) {
      on_phase(what);
    }
  }
};

}  // namespace pi_mcp::gateway
