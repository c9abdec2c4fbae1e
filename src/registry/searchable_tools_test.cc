#include "registry/searchable_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::registry {
namespace {

using ::testing::ElementsAre;

mcp::Listing listing_of(const std::string& name, const std::string& description) {
  mcp::Listing listing;
  mcp::Tool& tool = listing.tools.emplace_back();
  tool.name = name;
  tool.description = description;
  return listing;
}

// A pattern is looked for in the texts themselves, which are the catalog's.
std::vector<std::string> matching(const SearchableTools& tools, std::string_view pattern) {
  std::vector<std::string> names;
  const Result<std::vector<search::Hit>> hits = tools.ranker.match(pattern);
  for (const search::Hit& hit : hits ? *hits : std::vector<search::Hit>()) {
    names.emplace_back(tools.ranker.document(hit.document).name);
  }
  return names;
}

TEST(SearchableTools, texts_are_those_of_the_catalog_after_every_change_of_it) {
  catalog::Catalog catalog;
  SearchableTools tools;
  const auto update = [&](const std::string& server, const std::string& description) {
    catalog.update(server, listing_of("look_something_up", description), catalog::Knowledge::live);
    tools.update(catalog, catalog.servers(), {});
  };
  catalog.add_server("stays", {});
  catalog.add_server("changes", {});
  update("stays", "Reads the long description of what stays");
  update("changes", "Reads the long description of what goes");
  EXPECT_THAT(matching(tools, "long description"),
              ElementsAre("stays_look_something_up", "changes_look_something_up"));
  update("changes", "Reads another long text altogether");
  EXPECT_THAT(matching(tools, "description of what"), ElementsAre("stays_look_something_up"));
  EXPECT_THAT(matching(tools, "another long"), ElementsAre("changes_look_something_up"));
  update("stays", "Reads the long description of what stays");  // the same again
  EXPECT_THAT(matching(tools, "what stays"), ElementsAre("stays_look_something_up"));
  tools.update(catalog, {"stays"}, {});
  EXPECT_THAT(matching(tools, "long"), ElementsAre("stays_look_something_up"));
}

}  // namespace
}  // namespace pi_mcp::registry
