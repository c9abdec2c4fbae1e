// The requests of a host about our own resources, and what it is told when they change.
#pragma once

#include <functional>
#include <string_view>

#include "base/time.h"
#include "io/loop/paced_work.h"
#include "io/loop/task.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/own_resources.h"

namespace pi_mcp::host {

class HostResources {
 public:
  // What happens within this time is told together.
  static constexpr Milliseconds pause{100};

  // Both outlive the value.
  HostResources(tool::OwnResources& resources,
                std::function<void(rpc::Outgoing)> send,
                const io::Executor& executor)
      : resources_(resources),
        send_(std::move(send)),
        telling_(executor, "resources", pause, [this] { tell(); }) {}

  // The answer to a resources/... request; unknown_method() for one we do not have.
  [[nodiscard]] rpc::Outgoing answer(const rpc::Message& request);
  // From now on until stop() has returned the host is told of changes.
  void start() { telling_.start(); }
  io::Task<void> stop() { return telling_.stop(); }
  // Something may have changed.
  void mark() { telling_.ask(); }

 private:
  void tell();

  tool::OwnResources& resources_;
  std::function<void(rpc::Outgoing)> send_;
  io::PacedWork telling_;
};

}  // namespace pi_mcp::host
