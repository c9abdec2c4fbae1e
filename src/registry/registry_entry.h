// One server of a session: its start, its lease in the pool, and what went wrong with it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "io/loop/task.h"
#include "registry/configuration.h"
#include "registry/lifecycle_notices.h"
#include "registry/session_observer.h"
#include "secrets/secrets.h"
#include "servers/link/connection.h"
#include "servers/link/host_link.h"
#include "servers/pool.h"
#include "servers/server_status.h"
#include "servers/share/scope.h"

namespace pi_mcp::registry {

class RegistryEntry;

// What the entries of one session have in common. Outlives them.
struct EntryContext {
  servers::Pool& pool;
  const Configuration& configuration;
  SessionObserver& observer;
  const void* id;                                  // of the session, in this process
  std::string session;                             // its name among all of the machine
  std::function<void(RegistryEntry&)> on_listing;  // its connection lists something new
  std::function<void(RegistryEntry&)> on_lost;     // its newest() connection has ended
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::shared_ptr<servers::HostLink> host = {};  // null when there is none
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<mcp::LogLevel> log_level = {};  // that the host wants; nullopt: it has not said
  // What was seen of a server, and that more was seen of it.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::function<servers::SeenOfServer(const RegistryEntry&)> seen = {};
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::function<void(RegistryEntry&, const servers::SeenOfServer&)> on_seen = {};
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<std::string> roots = {};  // a digest of its host's, once a server has asked

  // The session for servers that are for it alone.
  [[nodiscard]] const std::string& scope() const {
    const std::string& scope = configuration.sharing().scope;
    return scope.empty() ? session : scope;
  }
};

// What servers are told that this host (or none) can do; `server`: what this one is told.
mcp::ClientFeatures declared_features(const servers::HostLink* host,
                                      const config::Settings& settings,
                                      const config::Server* server = nullptr);

// Stays at its address, which names the session's lease in the pool. Whoever waits for one of its
// tasks keeps it alive.
class RegistryEntry : Pinned {
 public:
  struct Failure {
    TimePoint at;
    std::string reason;
    ErrorCode code = ErrorCode::unavailable;
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::shared_ptr<const Remedy> remedy = {};  // may be null
    bool refuses_use = true;                    // a call does not try again
  };
  // Told again and again while a start takes long: what is done now, for people.
  using PhaseSink = std::function<void(std::string_view what)>;
  using Opened = Result<std::shared_ptr<servers::Connection>>;

  RegistryEntry(EntryContext& context, Configuration::ServerPtr server)
      : context_(context), server_(std::move(server)) {}

  [[nodiscard]] const config::Server& server() const { return *server_; }
  [[nodiscard]] const std::string& name() const { return server_->name; }
  // The newest connection, which may have ended; null before the first.
  [[nodiscard]] const std::shared_ptr<servers::Connection>& newest() const { return connection_; }
  // The open connection; null when there is none.
  [[nodiscard]] std::shared_ptr<servers::Connection> connected() const;
  // Limits of calls over that connection.
  [[nodiscard]] const servers::Deadlines& deadlines() const { return deadlines_; }
  // The last start failed before the pool heard of it: a variable is missing, a secret command
  // failed. The pool does not try that again by itself.
  [[nodiscard]] bool is_unresolved() const { return unresolved_.has_value(); }
  // The last start, where it failed. The pool also knows what another session tried with the same
  // launch.
  [[nodiscard]] std::optional<Failure> standing_failure() const;
  // The same, if it was less than a minute ago.
  [[nodiscard]] std::optional<Failure> recent_failure() const;
  [[nodiscard]] servers::ServerStatus status(const catalog::Catalog& catalog) const;
  // Whether a start of it was begun in this session. Of one without, status() says only what
  // configuration and cache do.
  [[nodiscard]] bool was_tried() const { return !key_.empty() || resolution_ || last_failure_; }

  // A new connection, or the pool's with the same launch. A `!command` secret runs once for
  // simultaneous callers. Codes as of servers::resolve_launch() and Pool::acquire(); cancelled also
  // when it was retired meanwhile.
  io::Task<Opened> start(servers::Use use, std::optional<mcp::Era> era, PhaseSink on_phase);
  // Ends its connection.
  io::Task<void> stop();
  // Whoever asks for the same launch gets this connection, and is nobody else to the server.
  [[nodiscard]] bool shares_with_all() const;
  // Its server hears from what level on this session wants log messages.
  void tell_log_level();

  // A newer configuration of the same launch.
  void configure(Configuration::ServerPtr server);
  // A newer configuration has no place for it: the pool ends its connection after the last call,
  // since no session has a lease on it any more.
  void retire();
  // The next use takes a new connection; this one ends after its last call.
  void leave();
  [[nodiscard]] bool is_retired() const { return retired_; }
  // Gives up the lease, or lets the claim rest.
  void release();
  // Its host's roots are other ones now.
  void tell_roots_changed();

  // See ServerRegistry.
  [[nodiscard]] std::optional<std::string> new_stderr();
  [[nodiscard]] std::string stderr_text() const;

 private:
  struct Resolution;
  class PhaseListener;

  [[nodiscard]] servers::ServerStatus::State state(const catalog::Catalog& catalog) const;
  io::Task<Result<servers::Launch>> resolve();
  [[nodiscard]] std::string launch_remedy(ErrorCode code) const;
  [[nodiscard]] mcp::ClientFeatures declared() const;
  void introduce(servers::Launch& launch) const;
  [[nodiscard]] servers::Sharing sharing() const;
  io::Task<std::string> own_roots();
  io::Task<servers::Launch> place(servers::Launch launch);
  void note_asked(const mcp::action::Asked& asked);
  void note_roots(const std::string& roots, bool is_own);
  void keep_if_stateful();
  void follow(const std::string& key);
  void lease();
  void adopt(const std::shared_ptr<servers::Connection>& connection);
  void forget_connection();
  void on_end();
  void tell_end();
  void note_failure();
  void note_change() const { context_.observer.changed({.state = true}); }

  EntryContext& context_;
  Configuration::ServerPtr server_;
  std::string key_;  // launch key of the newest start; empty before the first
  servers::Deadlines deadlines_;
  std::shared_ptr<servers::Connection> connection_;
  std::optional<Failure> unresolved_;            // see is_unresolved()
  std::optional<Failure> last_failure_;          // stays when it works again
  bool recovered_ = false;                       // it has started since last_failure_
  secrets::Secrets secrets_;                     // of its newest launch
  bool wrote_stderr_ = false;                    // since new_stderr()
  std::vector<const PhaseListener*> listeners_;  // calls that wait for its start
  std::shared_ptr<Resolution> resolution_;       // of its launch, under way
  LifecycleNotices notices_{servers::LifecycleLimits{}.stable_after};
  bool retired_ = false;
};

using EntryFilter = std::function<bool(const RegistryEntry&)>;  // empty: all

}  // namespace pi_mcp::registry
