// A registry takes a new configuration.
#include <algorithm>
#include <utility>

#include "config/difference.h"
#include "registry/registry_entry.h"
#include "registry/server_registry.h"

namespace pi_mcp::registry {

bool ServerRegistry::is_same(const config::Settings& other) const {
  const auto same = [](const config::Server& before, const config::Server& after) {
    return before.name == after.name && difference(before, after) == config::Difference::none;
  };
  return difference(settings(), other) == config::Difference::none &&
         std::ranges::equal(settings().servers, other.servers, same);
}

std::vector<std::string> ServerRegistry::reload(config::Settings newer) {
  std::vector<std::string> fresh;
  if (is_same(newer)) {
    replace_words(std::move(newer));
    return fresh;
  }
  const bool same_limits = difference(settings(), newer) != config::Difference::launch;
  replace(std::move(newer));
  std::vector<std::shared_ptr<Entry>> old = std::exchange(entries_, {});
  by_name_.clear();
  for (ServerPtr& server : servers()) {
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
  move_to(catalogs_.shared(basis()));
  note_change();
  return fresh;
}

void ServerRegistry::keep(const std::shared_ptr<Entry>& entry, ServerPtr server) {
  add_server(std::move(server), entry);
  if (!entry->key.empty()) {
    claim(*entry);  // with its new policy
  }
}

// The pool ends its connection after the last call, since nobody claims it any more.
void ServerRegistry::retire(Entry& entry) {
  entry.retired = true;
  pool_.unclaim(&entry);
  entry.connection.reset();
}

}  // namespace pi_mcp::registry
