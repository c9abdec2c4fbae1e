// The tools of some servers, prepared for the ranker.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "search/ranker.h"

namespace pi_mcp::registry {

// Puts the keywords of a tool into its document: configured ones, and those that a model has
// written.
using AddKeywords = std::function<void(const catalog::CatalogTool&, search::Document&)>;

// Tools and a ranker of the same tools in the same order; its groups are the servers. Both are
// valid until the catalog changes, whose texts the ranker reads.
struct SearchableTools {
  std::vector<const catalog::CatalogTool*> tools;  // in catalog order
  search::Ranker ranker;

  // Makes these the tools of `servers`; reads only what is new since the last time. `keywords` may
  // be empty.
  void update(const catalog::Catalog& catalog,
              const std::vector<std::string>& servers,
              const AddKeywords& keywords);
};

}  // namespace pi_mcp::registry
