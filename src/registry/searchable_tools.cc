#include "registry/searchable_tools.h"

#include <utility>

#include "registry/search_document.h"

namespace pi_mcp::registry {

void SearchableTools::update(const catalog::Catalog& catalog,
                             const std::vector<std::string>& servers,
                             const AddKeywords& keywords) {
  tools.clear();
  DocumentReader reader;
  std::vector<search::GroupSource> sources;
  for (const std::string& server : servers) {
    const std::vector<catalog::CatalogTool>& tools_now = catalog.tools(server);
    for (const catalog::CatalogTool& tool : tools_now) {
      tools.push_back(&tool);
    }
    const auto read = [&](std::size_t number) {
      const catalog::CatalogTool& tool = tools_now[number];
      search::Document document = reader.read(tool);
      if (keywords) {
        keywords(tool, document);
      }
      return document;
    };
    sources.push_back({.name = server,
                       .revision = catalog.revision(server),
                       .documents = tools_now.size(),
                       .read = read,
                       .about = catalog.instructions(server)});
  }
  ranker.assign(std::move(sources));
}

}  // namespace pi_mcp::registry
