// Whose host a request of a server is for. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mcp/client/actions.h"
#include "rpc/call_table.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// A call under way; without a host it is one of our own, or of somebody who cannot be asked.
struct CallOfHost {
  rpc::CallNumber number = 0;
  std::shared_ptr<Host> host;
  const void* session = nullptr;  // null: whose its host is

  [[nodiscard]] const void* whose() const { return session != nullptr ? session : host.get(); }
};

struct RequestOwner {
  std::shared_ptr<Host> host;          // null: nobody's call has caused it, or nobody can be asked
  const void* session = nullptr;       // whose call has caused it
  std::vector<rpc::CallNumber> calls;  // that wait for its answer
  std::string problem;                 // not empty: it cannot be told whose it is
};

// `during`: the call on whose stream it came; absent on links with one stream for everything, where
// it belongs to the one session that has calls under way. With more than one it is nobody's: a
// question must never reach a user whose call did not cause it.
RequestOwner owner_of(const rpc::Id& during, const std::vector<CallOfHost>& calls);

}  // namespace pi_mcp::mcp
