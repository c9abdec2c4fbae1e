// What search and "did you mean" look through: the tools of the enabled servers, prepared for the
// ranker, and prepared again only when the catalog has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "gateway/roster.h"
#include "search/ranker.h"

namespace pi_mcp::gateway {

// Gives the configured keywords of a tool.
using KeywordsOf = std::function<std::vector<std::string>(const catalog::CatalogTool&)>;

// Tools and a ranker of the same tools in the same order; its groups are the servers. Both are
// valid until the catalog changes, whose texts the ranker reads.
struct SearchableTools {
  std::vector<const catalog::CatalogTool*> tools;  // in catalog order
  search::Ranker ranker;

  // Makes these the tools of `servers`. Reads only what is new since the last time. `keywords` may
  // be empty.
  void update(const catalog::Catalog& catalog,
              const std::vector<std::string>& servers,
              const KeywordsOf& keywords);
};

class SearchIndex {
 public:
  // `roster` outlives the index.
  explicit SearchIndex(const Roster& roster) : roster_(roster) {}

  // The tools of all enabled servers.
  const SearchableTools& prepare();

  // Displayed names that a wrong name may have meant, best first, at most `count`. `server` empty:
  // of all servers.
  std::vector<std::string> suggest(std::string_view wrong_name,
                                   std::string_view server,
                                   std::size_t count) {
    return prepare().ranker.suggest(wrong_name, count, server);
  }

 private:
  const Roster& roster_;
  SearchableTools prepared_;
  std::uint64_t generation_ = 0;  // of the catalog when prepared_ was made
};

}  // namespace pi_mcp::gateway
