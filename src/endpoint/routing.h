// Requests that another replica has to answer: those of a session that it holds, and those that go
// on with a call that waits there for an answer (docs/decisions/0081-replicas.md).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "access/session_keys.h"
#include "base/pinned.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "endpoint/watched_exchange.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "replicas/forwarded.h"
#include "replicas/forwarder.h"
#include "replicas/owners.h"

namespace pi_mcp::endpoint {

class Routing : Pinned {
 public:
  // `forwarder` outlives it.
  Routing(const io::Executor& executor, replicas::Forwarder& forwarder);
  // There is a store. Outlives it.
  void use(replicas::Owners& owners) { owners_ = &owners; }

  struct Routed {
    std::shared_ptr<WatchedExchange> exchange;
    SharedText body;
    bool is_forwarded = false;  // it has come from another replica, and goes no further
    // Called when this replica is the one, unless the request is over.
    std::function<void()> serve_here;
  };
  // Of a session that is not in memory here.
  void of_session(Routed routed, std::string nonce);
  // Of a call that waits at `url`.
  void of_call(Routed routed, std::string url);

  [[nodiscard]] replicas::Origin origin_of(const http::RequestHead& head) const {
    return forwarder_.origin_of(head);
  }
  [[nodiscard]] const replicas::Forwarded& forwarded() const { return forwarded_; }
  [[nodiscard]] bool has_owners() const { return owners_ != nullptr; }
  // Must have returned before destruction.
  io::Task<void> close();

 private:
  io::Task<void> route(Routed routed, std::string nonce);
  io::Task<void> pass_on(Routed routed, std::string url);
  io::Task<std::optional<replicas::Forwarder::Outcome>> forward(const Routed* routed,
                                                                std::string url);
  void count(const Result<replicas::Forwarder::Outcome>& outcome);
  void spawn(const std::shared_ptr<WatchedExchange>& exchange, io::Task<void> task);

  replicas::Forwarder& forwarder_;
  replicas::Forwarded forwarded_;
  replicas::Owners* owners_ = nullptr;  // null: there is no store
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::endpoint
