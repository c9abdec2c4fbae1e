#include "gateway/search_index.h"

#include "base/text.h"
#include "catalog/names.h"
#include "gateway/search_document.h"

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

void SearchableTools::update(const catalog::Catalog& catalog,
                             const std::vector<std::string>& servers,
                             const KeywordsOf& keywords) {
  tools.clear();
  DocumentReader reader;
  std::vector<search::GroupSource> sources;
  for (const std::string& server : servers) {
    const std::vector<catalog::CatalogTool>& offered = catalog.tools(server);
    for (const catalog::CatalogTool& tool : offered) {
      tools.push_back(&tool);
    }
    const auto read = [&](std::size_t number) {
      const catalog::CatalogTool& tool = offered[number];
      search::Document document = reader.read(tool);
      if (keywords) {
        document.keywords = keywords(tool);
      }
      return document;
    };
    sources.push_back({.name = server,
                       .revision = catalog.revision(server),
                       .documents = offered.size(),
                       .read = read,
                       .about = catalog.instructions(server)});
  }
  ranker.assign(std::move(sources));
}

const SearchableTools& SearchIndex::prepare() {
  const catalog::Catalog& catalog = roster_.catalog();
  if (generation_ != catalog.generation()) {
    prepared_.update(catalog, roster_.enabled_servers(), [this](const catalog::CatalogTool& tool) {
      return keywords_of(roster_.find(tool.server), tool);
    });
    // Read last: asking for the tools may have loaded them from the cache.
    generation_ = catalog.generation();
  }
  return prepared_;
}

}  // namespace pi_mcp::gateway
