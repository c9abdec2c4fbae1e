// The servers of one session: their configuration, what is known of them, and our claims on their
// connections. Everything here works with every server stopped, but for open().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/paced_work.h"
#include "io/loop/task.h"
#include "registry/catalog_store.h"
#include "registry/configuration.h"
#include "registry/session_observer.h"
#include "servers/launch/launch.h"
#include "servers/link/connection.h"
#include "servers/link/host_link.h"
#include "servers/pool.h"
#include "servers/server_status.h"

namespace pi_mcp::registry {

// A start that failed a short while ago, so that no implicit one is tried.
struct Backoff {
  std::int64_t seconds_ago = 0;
  std::string reason;
};

// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): Pinned has deleted them.
class ServerRegistry : public Configuration {
 public:
  // Told again and again while a start takes long: what is done now, for people.
  using PhaseSink = std::function<void(std::string_view what)>;

  // All that is handed over by reference outlives the registry. Of changes `observer` is told
  // offers (after some session has brought them, changed or not) and state. Reads no file, starts
  // nothing.
  ServerRegistry(servers::Pool& pool,
                 CatalogStore& catalogs,
                 config::Settings settings,
                 config::Environment environment,
                 SessionObserver& observer);
  ~ServerRegistry();

  // What is known of the servers, also by other sessions. Valid until the next reload().
  [[nodiscard]] SharedCatalog& known() const { return *known_; }
  [[nodiscard]] const catalog::Catalog& catalog() const { return known_->catalog(); }
  // How this session knows a server: live means that its own connection is open.
  [[nodiscard]] catalog::Knowledge knowledge(std::string_view server) const;

  [[nodiscard]] servers::ServerStatus status(std::string_view server) const;
  [[nodiscard]] std::vector<servers::ServerStatus> statuses() const;
  [[nodiscard]] std::optional<Backoff> backoff(std::string_view server) const;

  // The open connection; null when there is none, and then a call has to open() one.
  [[nodiscard]] std::shared_ptr<servers::Connection> connected(std::string_view server) const;
  // The open connection, with its lists read again when somebody asked to connect, or a new one;
  // then the catalog and the cache know what the server offers. A `!command` secret runs once for
  // simultaneous callers.
  // Codes as of servers::resolve_launch() and Pool::acquire(); not_found for an unknown server.
  io::Task<Result<std::shared_ptr<servers::Connection>>> open(std::string server,
                                                              servers::Use use,
                                                              PhaseSink on_phase = {});
  // The same after the open connection, if any, was ended: for somebody who wants a fresh one.
  io::Task<Result<std::shared_ptr<servers::Connection>>> reopen(std::string server);
  // Its last start failed before the pool heard of it, so that the pool does not try it again by
  // itself: a variable that is missing, a secret command that failed.
  [[nodiscard]] bool is_unresolved(std::string_view server) const;
  // What is known of it is older than the server said it is good for: it can be shown, but must not
  // be the reason to refuse something.
  [[nodiscard]] bool has_stale_lists(std::string_view server) const;
  // See SharedCatalog::learn_from_others().
  void learn_from_others(std::string_view server) { known_->learn_from_others(server); }
  // Somebody looks at what servers offer (empty: all of them): connected ones are asked again where
  // that is stale, and nobody waits for it.
  void note_use(std::string_view server) const;
  // Limits for calls over the open connection.
  [[nodiscard]] servers::Deadlines deadlines(std::string_view server) const;

  // From now on this configuration. A server whose launch is the same keeps its connection and all
  // that is known of it; every other connection is ended after its last call. The names of enabled
  // servers that are new or have another launch.
  std::vector<std::string> reload(config::Settings newer);

  // See Session::meet_host().
  void meet_host(std::shared_ptr<servers::HostLink> host) { host_ = std::move(host); }
  // The host can show its user a form.
  [[nodiscard]] bool can_ask() const { return host_ && host_->features().elicitation_form; }
  void tell_roots_changed() const;
  // What a server wrote to its stderr last, fit to be kept (kept_stderr()); nullopt when there is
  // nothing new since it was asked for.
  [[nodiscard]] std::optional<std::string> new_stderr(std::string_view server);
  // The same whether or not it is new; empty when it wrote nothing in this session.
  [[nodiscard]] std::string stderr_text(std::string_view server) const;
  // Forgets the claims: nothing of the pool's connections reaches this session any more.
  void release();
  // Asked when there is something to save, from now on; null: it is saved at once.
  void pace_saves(io::PacedWork* saving) { saving_ = saving; }

 private:
  struct Entry;       // roster_entry.h
  struct Resolution;  // the same
  class PhaseListener;
  struct Failure {
    TimePoint at;
    std::string reason;
    ErrorCode code = ErrorCode::unavailable;
  };
  [[nodiscard]] Entry* entry(std::string_view server) const;
  void add_server(ServerPtr server, const std::shared_ptr<Entry>& entry);
  void keep(const std::shared_ptr<Entry>& entry, ServerPtr server);
  void retire(Entry& entry);
  [[nodiscard]] SharedCatalog::Basis basis() const;
  void move_to(std::shared_ptr<SharedCatalog> catalog);
  [[nodiscard]] bool is_same(const config::Settings& other) const;
  [[nodiscard]] std::shared_ptr<Entry> shared_entry(std::string_view server) const;
  io::Task<Result<std::shared_ptr<servers::Connection>>> start(std::shared_ptr<Entry> entry,
                                                               servers::Use use);
  io::Task<Result<servers::Launch>> resolve(std::shared_ptr<Entry> entry);
  void follow(Entry& entry, const std::string& key);
  void claim(Entry& entry);
  void adopt(Entry& entry, const std::shared_ptr<servers::Connection>& connection);
  void bring(Entry& entry);
  void note_unsaved();
  void lose(Entry& entry);
  void tell_end(Entry& entry) const;
  void note_change() const;
  void note_failure(Entry& entry);
  [[nodiscard]] std::optional<Failure> recent_failure(const Entry& entry) const;
  void introduce(servers::Launch& launch) const;
  [[nodiscard]] servers::ServerStatus::State state_of(const Entry& entry) const;

  servers::Pool& pool_;
  CatalogStore& catalogs_;
  std::shared_ptr<SharedCatalog> known_;
  std::vector<std::shared_ptr<Entry>> entries_;  // in configuration order
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> by_name_;
  SessionObserver& observer_;
  std::shared_ptr<servers::HostLink> host_;
  std::string name_;  // of this session among all of the machine
  io::PacedWork* saving_ = nullptr;
};

}  // namespace pi_mcp::registry
