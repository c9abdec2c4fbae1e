// The requests of a host about our own resources, and what it is told when they change.
#pragma once

#include <functional>
#include <string_view>

#include "base/time.h"
#include "gateway/own_resources.h"
#include "io/condition.h"
#include "io/task.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::gateway {

class HostResources {
 public:
  // What happens within this time is told together.
  static constexpr Milliseconds pause{100};

  // Both outlive the value.
  HostResources(OwnResources& resources,
                std::function<void(rpc::Outgoing)> send,
                const io::Executor& executor)
      : resources_(resources), send_(std::move(send)), wake_(executor) {}

  // The answer to a resources/... request; unknown_method() for one we do not have.
  [[nodiscard]] rpc::Outgoing answer(const rpc::Message& request);
  // Something may have changed.
  void mark();
  // Tells the host of changes until it is cancelled.
  io::Task<void> run();

 private:
  OwnResources& resources_;
  std::function<void(rpc::Outgoing)> send_;
  bool marked_ = false;
  io::Condition wake_;
};

}  // namespace pi_mcp::gateway
