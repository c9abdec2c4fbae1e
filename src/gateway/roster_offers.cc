// What servers offer, on its way between connections, the catalog and the cache.
#include <optional>
#include <utility>

#include "config/identity.h"
#include "gateway/roster.h"
#include "gateway/roster_entry.h"
#include "io/clock.h"

namespace pi_mcp::gateway {
namespace {

std::string identity_of(const config::Server& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  return entry ? config::identity_hash(entry->root()) : std::string();
}

bool is_private(const mcp::Offer& offer) {
  return offer.caching && offer.caching->is_private;
}

// nullopt: nobody has said that it is not good for ever.
std::optional<EpochMs> fresh_until(const catalog::CacheEntry& entry) {
  const std::optional<mcp::Caching>& caching = entry.offer.caching;
  return caching ? std::optional(EpochMs{entry.cached_at.value + caching->ttl.count()})
                 : std::nullopt;
}

}  // namespace

std::optional<mcp::Offer> Roster::cached_offer(const config::Server& server) {
  std::optional<catalog::CacheEntry> cached =
      cache_.find(server.name, identity_of(server), io::epoch_now());
  if (!cached || (is_private(cached->offer) &&
                  cached->private_to != config::authorization_context(server, environment_))) {
    return std::nullopt;
  }
  if (Entry* found = entry(server.name)) {
    found->fresh_until = fresh_until(*cached);
  }
  return std::move(cached->offer);
}

void Roster::learn_from_others(std::string_view server) {
  std::vector<const config::Server*> unknown;
  for (const std::shared_ptr<Entry>& each : entries_) {
    const config::Server& known = *each->server;
    const bool asked = server.empty() ? !known.disabled : known.name == server;
    if (asked && catalog_.knowledge(known.name) == catalog::Knowledge::unknown) {
      unknown.push_back(&known);
    }
  }
  if (unknown.empty() || !cache_.refresh()) {
    return;
  }
  for (const config::Server* each : unknown) {
    if (std::optional<mcp::Offer> offer = cached_offer(*each)) {
      catalog_.update(each->name, *std::move(offer), catalog::Knowledge::cached);
    }
  }
  observer_.changed({.offers = true});
}

void Roster::take_offer(Entry& entry, const mcp::Offer& offer) {
  const config::Server& server = *entry.server;
  catalog_.update(server.name, offer, catalog::Knowledge::live);
  catalog::CacheEntry cached;
  cached.config_hash = identity_of(server);
  cached.cached_at = io::epoch_now();
  cached.offer = offer;
  if (is_private(offer)) {
    cached.private_to = config::authorization_context(server, environment_);
  }
  entry.fresh_until = fresh_until(cached);
  cache_.put(server.name, std::move(cached));
  observer_.changed({.offers = true});
}

void Roster::note_unsaved() {
  if (saving_ != nullptr) {
    saving_->ask();
  } else {
    save();
  }
}

bool Roster::has_stale_lists(std::string_view server) const {
  if (const std::shared_ptr<servers::Connection> open = connected(server)) {
    return open->has_stale_lists();
  }
  const Entry* found = entry(server);
  return found != nullptr && found->fresh_until && io::epoch_now() >= *found->fresh_until;
}

void Roster::note_use(std::string_view server) const {
  for (const std::shared_ptr<Entry>& each : entries_) {
    if (each->connection && (server.empty() || each->server->name == server)) {
      each->connection->note_use();
    }
  }
}

void Roster::adopt(Entry& entry, const std::shared_ptr<servers::Connection>& connection) {
  // Of all who hear of one start, the first one learns for all.
  if (entry.connection != connection) {
    entry.connection = connection;
    take_offer(entry, connection->offer());
    note_unsaved();
    note_change();
    const std::optional<Notice> back = entry.notices.ready(entry.server->name, io::now());
    if (back) {
      observer_.noticed(*back);
    }
  }
}

void Roster::lose(Entry& entry) {
  // The end of an older connection may be told after a newer one was adopted.
  if (entry.connection && !entry.connection->is_open()) {
    entry.connection.reset();
    catalog_.forget_live(entry.server->name);
  }
}

// One that is stopped, or ends when nobody keeps it, is no news.
void Roster::tell_end(Entry& entry) const {
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

}  // namespace pi_mcp::gateway
