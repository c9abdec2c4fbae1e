// A session that came over HTTP, as long as it is in memory: a link, the server of it, and a
// session of the gateway.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "access/principal.h"
#include "base/pinned.h"
#include "base/time.h"
#include "endpoint/place.h"
#include "gateway/gateway.h"
#include "host/host_server.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/http_host/http_host.h"

namespace pi_mcp::endpoint {

class LiveSession : Pinned {
 public:
  // `gateway` outlives it, and `session` is one of its own. end() must have returned before
  // destruction.
  LiveSession(const io::Executor& executor,
              gateway::Gateway& gateway,
              gateway::Session& session,
              std::unique_ptr<transport::HttpHost> link);
  // Serves until end().
  void start(host::HostOptions options);
  io::Task<void> end();

  [[nodiscard]] transport::HttpHost& link() { return *link_; }
  [[nodiscard]] gateway::Session& session() { return session_; }

  // A message came. `lasting`: it may leave something behind that the session's id does not say.
  void note_use(TimePoint now, bool lasting);
  // Nothing is open and nobody has come for so long that what is left is in its id.
  [[nodiscard]] bool may_be_forgotten(TimePoint now) const;
  [[nodiscard]] TimePoint used() const { return used_; }
  [[nodiscard]] bool is_idle() const;
  // It is idle, and its id says all there is.
  [[nodiscard]] bool is_light() const { return is_idle() && !lasts_; }

 private:
  void warm_up();

  gateway::Gateway& gateway_;
  gateway::Session& session_;
  std::unique_ptr<transport::HttpHost> link_;
  io::TaskGroup tasks_;
  TimePoint used_;
  bool lasts_ = false;
  bool is_warm_ = false;
};

}  // namespace pi_mcp::endpoint
