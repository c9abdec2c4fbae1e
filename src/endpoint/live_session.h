// A session that came over HTTP, as long as it is in memory: a link and, from the first message on
// until nothing goes on any more, the server of it and a session of the gateway.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/pinned.h"
#include "base/time.h"
#include "endpoint/sleepers.h"
#include "gateway/gateway.h"
#include "host/host_server.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/http_host/http_host.h"

namespace pi_mcp::endpoint {

class LiveSession : Pinned {
 public:
  // What it is woken with.
  struct Making {
    std::function<gateway::Session&()> session;  // of the gateway
    std::function<host::HostOptions()> options;  // without on_met and met_before
    bool holds_server = false;  // which stops when nobody is in front of it any more
  };
  // `gateway` outlives it. Asleep. end() must have returned before destruction.
  LiveSession(const io::Executor& executor,
              gateway::Gateway& gateway,
              std::unique_ptr<transport::HttpHost> link,
              Making making,
              std::optional<mcp::HostInfo> met_before);
  // Serves from now on; else from the first message on. Nothing happens when it does already.
  void wake();
  // Is not woken any more. end() has to follow.
  void let_go();
  io::Task<void> end();

  [[nodiscard]] transport::HttpHost& link() { return *link_; }
  // Meaningful once it was woken, and of one that never sleeps.
  [[nodiscard]] gateway::Session& session() { return serving_->session; }
  // Null: it sleeps.
  [[nodiscard]] gateway::Session* awake() { return serving_ ? &serving_->session : nullptr; }

  // A message came. `lasting`: it may leave something behind that the session's id does not say.
  void note_use(TimePoint now, bool lasting);
  // Nothing is open and nobody has come for so long that what is left is in its id.
  [[nodiscard]] bool may_be_forgotten(TimePoint now) const;
  [[nodiscard]] TimePoint used() const { return used_; }
  [[nodiscard]] bool is_idle() const;
  // It is idle, and its id says all there is.
  [[nodiscard]] bool is_light() const { return is_idle() && !lasts_ && !making_.holds_server; }

  // It serves, and but for the stream that somebody reads and a server that it holds its id says
  // all there is.
  [[nodiscard]] bool may_sleep() const;
  // Nobody has come for so long.
  [[nodiscard]] bool is_tired(TimePoint now) const;
  void fall_asleep();
  // Somebody reads the stream of one that sleeps, and would not hear what changes.
  [[nodiscard]] bool wants_to_hear() const {
    return !serving_ && sleepers_ == nullptr && link_->has_stream();
  }
  // The server that it has in front of it runs for it.
  [[nodiscard]] bool has_server_running() const {
    return serving_ && serving_->session.through() != nullptr &&
           serving_->session.through()->is_running();
  }
  // Until it is woken or forgotten. `sleepers` are there as long.
  void join(Sleepers& sleepers);
  void leave();
  [[nodiscard]] Sleepers* sleepers() { return sleepers_; }
  // Of one that sleeps, or slept.
  [[nodiscard]] const mcp::HostInfo& host() const { return *host_; }

 private:
  struct Serving {
    Serving(const io::Executor& executor, gateway::Session& session)
        : session(session), tasks(executor) {}
    gateway::Session& session;
    io::TaskGroup tasks;
    bool is_warm = false;
  };
  void warm_up();
  io::Task<void> end_serving();

  io::Executor executor_;
  gateway::Gateway& gateway_;
  std::unique_ptr<transport::HttpHost> link_;
  Making making_;
  std::optional<mcp::HostInfo> host_;       // once it was met
  std::unique_ptr<Serving> serving_;        // null: it sleeps
  Sleepers* sleepers_ = nullptr;            // null: nobody hears for it
  std::unique_ptr<io::TaskGroup> falling_;  // asleep; null: never yet
  TimePoint used_;
  bool lasts_ = false;
  bool is_over_ = false;
};

}  // namespace pi_mcp::endpoint
