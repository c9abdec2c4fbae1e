// What search and "did you mean" look through: the tools of a session's enabled servers, prepared
// for the ranker once for all sessions of its catalog, and again only when the catalog has changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "registry/searchable_tools.h"
#include "registry/server_registry.h"

namespace pi_mcp::registry {

class SearchIndex {
 public:
  // `registry` outlives the index.
  explicit SearchIndex(const ServerRegistry& registry) : registry_(registry) {}

  // The tools of all enabled servers.
  const SearchableTools& prepare() { return registry_.known().searchable(); }

  // Displayed names that a wrong name may have meant, best first, at most `count`. `server` empty:
  // all servers.
  std::vector<std::string> suggest(std::string_view wrong_name,
                                   std::string_view server,
                                   std::size_t count) {
    return prepare().ranker.suggest(wrong_name, count, server);
  }

 private:
  const ServerRegistry& registry_;
};

}  // namespace pi_mcp::registry
