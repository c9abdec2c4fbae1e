// What one process has: the connections to all servers, what is known of them, and the sessions
// that use both. `serve` is a gateway with one session, and so is every command that uses servers.
#pragma once

#include <memory>
#include <vector>

#include "base/pinned.h"
#include "catalog/shared_listings.h"
#include "config/environment.h"
#include "config/settings.h"
#include "gateway/session.h"
#include "io/loop/task.h"
#include "registry/catalog_store.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"

namespace pi_mcp::gateway {

class Gateway : Pinned {
 public:
  // Starts nothing.
  explicit Gateway(const io::Executor& executor);
  // `connector` makes the links to servers: for tests.
  Gateway(const io::Executor& executor,
          servers::Pool::Options options,
          servers::Pool::Connector connector);
  // close() must have returned, if a session was opened.
  ~Gateway();

  // A session with its own configuration and environment. Valid until it is closed or the gateway
  // is destroyed.
  Session& open(config::Settings settings,
                config::Environment environment,
                Session::Options options);
  // Ends one session, which is destroyed; the pool stops servers that only it used. Other sessions
  // are not disturbed.
  io::Task<void> close(Session* session);
  // Ends everything: first the sessions, which write what they have learnt and give up their
  // leases, then starts under way, then every server. The sessions can still be asked what they
  // know until the gateway is destroyed.
  io::Task<void> close();

  // Before any session is opened: see registry::CatalogStore::share().
  void share(catalog::SharedListings& listings) { catalogs_.share(listings); }

  // See servers::Pool::stop_named().
  io::Task<std::vector<std::string>> stop_servers(std::string name) {
    return pool_.stop_named(std::move(name));
  }
  // See servers::Pool.
  io::Task<std::vector<std::string>> stop_resting(std::string name) {
    return pool_.stop_resting(std::move(name));
  }
  void drop_claims(const servers::Pool::ClaimFilter& wanted) { (void)pool_.drop_claims(wanted); }
  // The names of all that run, as their sessions have them.
  [[nodiscard]] std::vector<std::string> running_servers() const { return pool_.running(); }
  // See servers::Pool::runs().
  [[nodiscard]] std::vector<servers::PoolRun> runs() const { return pool_.runs(); }
  // See servers::Pool::copies().
  [[nodiscard]] std::vector<servers::Copies> copies(
      const std::function<const config::Server*(const std::string& name)>& entry) const {
    return pool_.copies(entry);
  }
  [[nodiscard]] bool has_servers() const { return pool_.has_servers(); }
  [[nodiscard]] const registry::CatalogStore& catalogs() const { return catalogs_; }

 private:
  servers::Connector connector_;
  servers::Pool pool_;
  registry::CatalogStore catalogs_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace pi_mcp::gateway
