// A roster takes a new configuration.
#include <algorithm>
#include <utility>

#include "config/difference.h"
#include "gateway/roster.h"
#include "gateway/roster_entry.h"

namespace pi_mcp::gateway {

bool Roster::is_same(const config::Settings& other) const {
  const auto same = [](const config::Server& before, const config::Server& after) {
    return before.name == after.name && difference(before, after) == config::Difference::none;
  };
  return difference(*settings_, other) == config::Difference::none &&
         std::ranges::equal(settings_->servers, other.servers, same);
}

std::vector<std::string> Roster::reload(config::Settings settings) {
  std::vector<std::string> fresh;
  if (is_same(settings)) {
    settings_->warnings = std::move(settings.warnings);
    settings_->notes = std::move(settings.notes);
    return fresh;
  }
  // Servers that are new, or are known no more than the cache knows them, are looked up there.
  save();
  cache_.refresh();
  const std::shared_ptr<config::Settings> before =
      std::exchange(settings_, std::make_shared<config::Settings>(std::move(settings)));
  const bool same_limits = difference(*before, *settings_) != config::Difference::launch;
  std::vector<std::shared_ptr<Entry>> old = std::exchange(entries_, {});
  by_name_.clear();
  for (const std::shared_ptr<Entry>& entry : old) {
    catalog_.remove_server(entry->server->name);
  }
  for (ServerPtr& server : configured()) {
    const auto same = std::ranges::find_if(old, [&](const std::shared_ptr<Entry>& entry) {
      return entry && entry->server->name == server->name && same_limits &&
             difference(*entry->server, *server) != config::Difference::launch;
    });
    if (same != old.end()) {
      keep(std::exchange(*same, nullptr), std::move(server));
      continue;
    }
    if (!server->disabled) {
      fresh.push_back(server->name);
    }
    add_server(std::move(server), std::make_shared<Entry>());
  }
  for (const std::shared_ptr<Entry>& entry : old) {
    if (entry) {
      retire(*entry);
    }
  }
  note_change();
  return fresh;
}

void Roster::keep(const std::shared_ptr<Entry>& entry, ServerPtr server) {
  add_server(std::move(server), entry);
  if (!entry->key.empty()) {
    claim(*entry);  // with its new policy
  }
  if (entry->connection && entry->connection->is_open()) {
    catalog_.update(entry->server->name, entry->connection->offer(), catalog::Knowledge::live);
  }
}

// The pool ends its connection after the last call, since nobody claims it any more.
void Roster::retire(Entry& entry) {
  entry.retired = true;
  pool_.unclaim(&entry);
  entry.connection.reset();
}

}  // namespace pi_mcp::gateway
