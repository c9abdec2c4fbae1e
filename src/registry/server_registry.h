// The servers of one session: their configuration, what is known of them, and our leases on their
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
#include "registry/registry_entry.h"
#include "registry/session_observer.h"
#include "servers/launch/launch.h"
#include "servers/link/connection.h"
#include "servers/link/host_link.h"
#include "servers/pool.h"
#include "servers/server_status.h"

namespace pi_mcp::registry {

// A start that failed a short while ago.
struct Backoff {
  std::int64_t seconds_ago = 0;
  std::string reason;
  ErrorCode code = ErrorCode::unavailable;
  std::shared_ptr<const Remedy> remedy;  // may be null
  bool refuses_use = true;               // none is tried unless asked for
};

// Its address names the session in calls: servers::CallOptions::session.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): Pinned has deleted them.
class ServerRegistry : public Configuration {
 public:
  using PhaseSink = RegistryEntry::PhaseSink;

  // All that is handed over by reference outlives the registry. `observer` is told
  // of changed listings (once some session has brought them, changed or not) and state. Reads no
  // file, starts nothing.
  ServerRegistry(servers::Pool& pool,
                 CatalogStore& catalogs,
                 config::Settings settings,
                 config::Environment environment,
                 SessionObserver& observer);
  ~ServerRegistry();

  // What is known of the servers, also by other sessions. Valid until the next reload() or
  // meet_host().
  [[nodiscard]] SharedCatalog& known() const { return *known_; }
  [[nodiscard]] const catalog::Catalog& catalog() const { return known_->catalog(); }
  // How this session knows a server: live means that its own connection is open.
  [[nodiscard]] catalog::Knowledge knowledge(std::string_view server) const;

  [[nodiscard]] servers::ServerStatus status(std::string_view server) const;
  [[nodiscard]] std::vector<servers::ServerStatus> statuses(const EntryFilter& wanted = {}) const;
  [[nodiscard]] std::optional<Backoff> backoff(std::string_view server) const;

  // The open connection; null when there is none: then a call has to open() one.
  [[nodiscard]] std::shared_ptr<servers::Connection> connected(std::string_view server) const;
  // The open connection, with its lists read again when somebody asked to connect, or a new one;
  // then the catalog and the cache know what the server lists. A `!command` secret runs once for
  // simultaneous callers.
  // Codes as of servers::resolve_launch() and Pool::acquire(); not_found for an unknown server.
  io::Task<RegistryEntry::Opened> open(std::string server,
                                       servers::Use use,
                                       PhaseSink on_phase = {});
  // Ends the open connection, if any, and opens a new one.
  io::Task<RegistryEntry::Opened> reopen(std::string server);
  // Whether its last start failed before the pool heard of it, so that the pool does not try it
  // again by itself: a variable that is missing, a secret command that failed.
  [[nodiscard]] bool is_unresolved(std::string_view server) const;
  // An error of the server says that it would rather be spoken to with a handshake: the next
  // connection begins with one, and what comes of it is remembered. False: that was tried, or the
  // user has decided.
  bool try_handshake(std::string_view server);
  // Whether its lists are older than the server said they are good for: they can be shown, but must
  // not be the reason to refuse something.
  [[nodiscard]] bool has_stale_lists(std::string_view server) const;
  // See SharedCatalog::learn_from_others().
  void learn_from_others(std::string_view server) { known_->learn_from_others(server); }
  // Somebody looks at what servers list (empty: all of them): connected ones are asked again where
  // that is stale, and nobody waits for it.
  void note_use(std::string_view server) const;
  // Limits for calls over the open connection.
  [[nodiscard]] servers::Deadlines deadlines(std::string_view server) const;

  // From now on this configuration. A server whose launch is the same keeps its connection and all
  // that is known of it; every other connection is ended after its last call. The names of enabled
  // servers that are new or have a changed launch.
  std::vector<std::string> reload(config::Settings newer);

  // See Session::meet_host(). What servers list to such a host is what is known from then on.
  void meet_host(std::shared_ptr<servers::HostLink> host);
  // The host can show its user a form.
  [[nodiscard]] bool can_ask() const {
    return context_.host && context_.host->features().elicitation_form;
  }
  void tell_roots_changed();
  // See Session::want_log_level().
  void want_log_level(mcp::LogLevel level);
  // What a server wrote to its stderr last, fit to be stored (kept_stderr()); nullopt: nothing new
  // since it was asked for.
  [[nodiscard]] std::optional<std::string> new_stderr(std::string_view server);
  // That text, new or not; empty when it wrote nothing in this session.
  [[nodiscard]] std::string stderr_text(std::string_view server) const;
  // Gives up the leases: nothing of the pool's connections reaches this session any more.
  void release();
  // Asked when there is something to save, from now on; null: it is saved at once.
  void pace_saves(io::PacedWork* saving) { saving_ = saving; }

 private:
  [[nodiscard]] std::shared_ptr<RegistryEntry> entry(std::string_view server) const;
  void add(const std::shared_ptr<RegistryEntry>& entry);
  [[nodiscard]] SharedCatalog::Basis basis() const;
  void move_to(std::shared_ptr<SharedCatalog> catalog);
  void bring(RegistryEntry& entry);
  void save();

  CatalogStore& catalogs_;
  std::shared_ptr<SharedCatalog> known_;
  SessionObserver& observer_;
  EntryContext context_;
  std::vector<std::shared_ptr<RegistryEntry>> entries_;  // in configuration order
  std::map<std::string, std::shared_ptr<RegistryEntry>, std::less<>> by_name_;
  io::PacedWork* saving_ = nullptr;
};

}  // namespace pi_mcp::registry
