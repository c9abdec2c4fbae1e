// What servers offer, on its way from the connections of one session to its catalog.
#include <memory>
#include <optional>
#include <utility>

#include "io/loop/clock.h"
#include "registry/registry_entry.h"
#include "registry/server_registry.h"

namespace pi_mcp::registry {

// Another session may have brought it already. Where its server and ours offer different things, as
// those of two folders can, each session has a catalog of its own.
void ServerRegistry::bring(Entry& entry) {
  const SharedCatalog::Taken taken = known_->take(entry.server->name, entry.connection);
  if (taken == SharedCatalog::Taken::refused) {
    move_to(catalogs_.apart(basis()));
    observer_.changed({.listings = true});
  }
  if (taken != SharedCatalog::Taken::known) {
    note_unsaved();
  }
}

// What this session has seen itself holds in the new catalog too. Tells nobody here.
void ServerRegistry::move_to(std::shared_ptr<SharedCatalog> catalog) {
  if (catalog == known_) {
    return;
  }
  known_->save();  // other catalogs look up there what they know
  known_->remove_reader(observer_);
  known_ = std::move(catalog);
  for (const std::shared_ptr<Entry>& entry : entries_) {
    const bool is_open = entry->connection && entry->connection->is_open();
    if (is_open &&
        known_->take(entry->server->name, entry->connection) == SharedCatalog::Taken::refused) {
      move_to(catalogs_.apart(basis()));
      return;
    }
  }
  known_->add_reader(observer_);
}

void ServerRegistry::note_unsaved() {
  if (saving_ != nullptr) {
    saving_->ask();
  } else {
    known_->save();
  }
}

bool ServerRegistry::has_stale_lists(std::string_view server) const {
  if (const std::shared_ptr<servers::Connection> open = connected(server)) {
    return open->has_stale_lists();
  }
  const std::optional<EpochMs> until = known_->fresh_until(server);
  return until && io::epoch_now() >= *until;
}

void ServerRegistry::note_use(std::string_view server) const {
  for (const std::shared_ptr<Entry>& each : entries_) {
    if (each->connection && (server.empty() || each->server->name == server)) {
      each->connection->note_use();
    }
  }
}

void ServerRegistry::adopt(Entry& entry, const std::shared_ptr<servers::Connection>& connection) {
  // Of all who hear of one start, the first one learns for all.
  if (entry.connection != connection) {
    entry.connection = connection;
    entry.wrote_stderr = true;  // what it says while it starts is readable from here on
    bring(entry);
    note_change();
    const std::optional<Notice> back = entry.notices.ready(entry.server->name, io::now());
    if (back) {
      observer_.noticed(*back);
    }
  }
}

void ServerRegistry::lose(Entry& entry) {
  // The end of an older connection may be told after a newer one was adopted.
  if (entry.connection && !entry.connection->is_open()) {
    known_->forget_live(entry.server->name, entry.connection);
    entry.connection.reset();
  }
}

// One that is stopped, or ends when nobody keeps it, is no news.
void ServerRegistry::tell_end(Entry& entry) const {
  using config::LifecycleMode;
  const LifecycleMode mode = entry.server->lifecycle;
  const servers::PoolStatus now = pool_.status(entry.key);
  const bool starts_again = now.state == servers::LifecycleState::starting ||
                            now.state == servers::LifecycleState::waiting;
  const bool kept = mode == LifecycleMode::keep_alive || mode == LifecycleMode::lazy_keep_alive;
  if (!kept || !starts_again || now.reason.empty()) {
    return;
  }
  const std::optional<Notice> end = entry.notices.ended(entry.server->name, now.reason, io::now());
  if (end) {
    observer_.noticed(*end);
  }
}

}  // namespace pi_mcp::registry
