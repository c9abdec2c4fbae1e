#include "gateway/search_index.h"

#include "base/text.h"
#include "catalog/names.h"

namespace pi_mcp::gateway {
namespace {

bool names_tool(std::string_view pattern, const catalog::CatalogTool& tool) {
  if (text::glob_match(pattern, tool.original) || text::glob_match(pattern, tool.name)) {
    return true;
  }
  for (const std::string& spelling :
       catalog::accepted_spellings(tool.server, tool.original, tool.is_resource())) {
    if (text::glob_match(pattern, spelling)) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> keywords_of(const config::Server* server,
                                     const catalog::CatalogTool& tool) {
  std::vector<std::string> keywords;
  if (server != nullptr) {
    for (const auto& [pattern, words] : server->search_keywords) {
      if (names_tool(pattern, tool)) {
        keywords.insert(keywords.end(), words.begin(), words.end());
      }
    }
  }
  return keywords;
}

}  // namespace

SearchableTools searchable_tools(const catalog::Catalog& catalog,
                                 const std::vector<std::string>& servers,
                                 const KeywordsOf& keywords) {
  SearchableTools prepared;
  std::vector<search::Document> documents;
  for (const std::string& name : servers) {
    for (const catalog::CatalogTool& tool : catalog.tools(name)) {
      prepared.tools.push_back(&tool);
      documents.push_back({.name = tool.name,
                           .original = tool.original,
                           .group = tool.server,
                           .description = tool.description,
                           .keywords = keywords ? keywords(tool) : std::vector<std::string>()});
    }
  }
  prepared.ranker = std::make_unique<search::Ranker>(std::move(documents));
  return prepared;
}

const SearchableTools& SearchIndex::prepare() {
  const catalog::Catalog& catalog = roster_.catalog();
  if (!prepared_.ranker || generation_ != catalog.generation()) {
    prepared_ = searchable_tools(
        catalog, roster_.enabled_servers(), [this](const catalog::CatalogTool& tool) {
          return keywords_of(roster_.find(tool.server), tool);
        });
    // Read last: asking for the tools may have loaded them from the cache.
    generation_ = catalog.generation();
  }
  return prepared_;
}

}  // namespace pi_mcp::gateway
