// The host of a session as its servers see it: whom their requests are forwarded to.
#pragma once

#include <string>

#include "base/result.h"
#include "base/shared_text.h"
#include "io/loop/task.h"
#include "mcp/client/actions.h"
#include "mcp/client_features.h"
#include "rpc/message.h"

namespace pi_mcp::servers {

class HostLink : public mcp::Host {
 public:
  // What may be asked; it does not change.
  [[nodiscard]] virtual const mcp::ClientFeatures& features() const = 0;

  // The host's answer to one request, a result or a failure. timed_out: nobody answered in the time
  // that such a request has. unavailable: the host has gone, or too much is asked of it at once.
  // cancelled with the task; then the host is told. Keep the link alive until it returns.
  virtual io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) = 0;

  // As it calls itself; empty: it has not said.
  [[nodiscard]] virtual std::string_view name() const { return {}; }

  // The same for all that stand for one host, which may declare itself anew with each request.
  [[nodiscard]] virtual const void* identity() const { return this; }
};

}  // namespace pi_mcp::servers
