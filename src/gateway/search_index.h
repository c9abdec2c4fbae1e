// What search and "did you mean" look through: the tools of a session's enabled servers, prepared
// for the ranker once for all sessions of its catalog, and again only when the catalog has changed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/roster.h"
#include "gateway/searchable_tools.h"

namespace pi_mcp::gateway {

class SearchIndex {
 public:
  // `roster` outlives the index.
  explicit SearchIndex(const Roster& roster) : roster_(roster) {}

  // The tools of all enabled servers.
  const SearchableTools& prepare() { return roster_.known().searchable(); }

  // Displayed names that a wrong name may have meant, best first, at most `count`. `server` empty:
  // of all servers.
  std::vector<std::string> suggest(std::string_view wrong_name,
                                   std::string_view server,
                                   std::size_t count) {
    return prepare().ranker.suggest(wrong_name, count, server);
  }

 private:
  const Roster& roster_;
};

}  // namespace pi_mcp::gateway
