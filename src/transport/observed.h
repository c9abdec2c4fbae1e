// A link with somebody who looks at every message that goes over it.
#pragma once

#include <memory>
#include <string_view>

#include "base/pinned.h"
#include "rpc/message.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// What it does must be quick: the message waits for it.
class Observer : Pinned {
 public:
  virtual ~Observer() = default;
  // A message, whole, before it is sent, and whether the link has taken it.
  virtual void sending(std::string_view /*message*/) {}
  virtual void sent(std::string_view /*message*/, bool /*taken*/) {}
  virtual void received(const rpc::Message& message) = 0;
  // receive() has failed: nothing more comes.
  virtual void ended() {}
};

// Each message that is sent is copied once for it.
std::unique_ptr<Transport> observed(std::unique_ptr<Transport> link,
                                    std::unique_ptr<Observer> observer);

}  // namespace pi_mcp::transport
