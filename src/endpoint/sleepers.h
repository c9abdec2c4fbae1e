// Sessions in which nothing goes on but that somebody reads their stream, or may use their server
// again. Those of one principal at one place whose hosts can do the same have one session of the
// gateway together, which hears for all of them what changes and holds that server.
#pragma once

#include <memory>
#include <vector>

#include "gateway/gateway.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "mcp/server/envelope.h"
#include "registry/session_observer.h"
#include "transport/http_host/http_host.h"

namespace pi_mcp::endpoint {

class Sleepers final : public registry::SessionObserver {
 public:
  // `gateway` outlives it, and `session` is one of its own. close() must have returned before
  // destruction.
  Sleepers(const io::Executor& executor,
           gateway::Gateway& gateway,
           gateway::Session& session,
           const mcp::HostInfo& host);

  // From now on until it is removed, the host of `link` is told when lists change.
  void add(transport::HttpHost& link);
  void remove(transport::HttpHost& link);
  // A session in front of one server, which runs for it, is about to leave it to this one.
  void hold_server();
  [[nodiscard]] bool empty() const { return links_.empty(); }
  [[nodiscard]] gateway::Session& session() { return session_; }

  void changed(registry::Changes changes) override;
  io::Task<void> close();

 private:
  gateway::Gateway& gateway_;
  gateway::Session& session_;
  io::TaskGroup holding_;
  std::vector<transport::HttpHost*> links_;
  bool has_listed_ = false;  // since lists have changed
};

}  // namespace pi_mcp::endpoint
