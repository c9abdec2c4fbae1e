// A tool as the catalog shows it, and how what a server lists becomes such tools. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "catalog/names.h"
#include "mcp/types.h"

namespace pi_mcp::catalog {

// A resource as a tool is called so and its own name.
constexpr std::string_view resource_verb = "read_";

struct CatalogTool {
  std::string server;
  std::string name;      // displayed
  std::string original;  // the server's own; "read_x" for a resource
  std::string title;
  std::string description;  // "Read resource: <uri>" when a resource has none
  SharedText input_schema;  // empty when the server gave none, and for resources
  SharedText annotations;
  SharedText others;         // see mcp::Tool
  std::string resource_uri;  // not empty: calling the tool reads this resource
  [[nodiscard]] bool is_resource() const { return !resource_uri.empty(); }
  // By what its server knows it: the name of a tool, the uri of a resource.
  [[nodiscard]] const std::string& own_name() const {
    return is_resource() ? resource_uri : original;
  }
  bool operator==(const CatalogTool& other) const;  // same in every field, JSON by its value
};

// How one server's offer is turned into tools.
struct ServerView {
  PrefixMode prefix = PrefixMode::server;
  bool expose_resources = true;
  // Globs over the original name, the displayed one and every accepted spelling. A tool they hide
  // can neither be seen nor called.
  std::vector<std::string> include;  // empty: all
  std::vector<std::string> exclude;  // wins over include
  // What else a tool has to be named by; empty: nothing. Then prompts are, too, by their own names,
  // there are no templates, and no resource is read that is not listed.
  std::vector<std::string> only;
  // Whether the configuration hides a tool with these spellings; empty: none.
  std::function<bool(const std::vector<std::string>&)> hides;

  [[nodiscard]] bool shows_all() const {
    return include.empty() && exclude.empty() && only.empty() && !hides;
  }
};

// Every spelling under which the tool is accepted, the server's own first.
[[nodiscard]] std::vector<std::string> spellings_of(const CatalogTool& tool);

// Whether a glob of the configuration means this tool, by any of its spellings.
[[nodiscard]] bool names_tool(std::string_view pattern, const CatalogTool& tool);

// Whether the view hides a tool that `server` itself calls so.
[[nodiscard]] bool hides_tool(const std::string& server,
                              const ServerView& view,
                              std::string_view original);

[[nodiscard]] bool hides_prompt(const ServerView& view, const std::string& name);

// The tools of a listing that the view shows, and its resources as tools. Takes the tools out of
// it.
std::vector<CatalogTool> shown_tools(const std::string& server,
                                     const ServerView& view,
                                     mcp::Listing& listing);

// Removes the resources that may not be seen; their uris.
std::set<std::string, std::less<>> take_out_hidden(const std::string& server,
                                                   const ServerView& view,
                                                   std::vector<mcp::Resource>& resources);

// Where the view names what there is: removes prompts that it does not name, templates, and what is
// said of tools that were left out.
void take_out_unnamed(const ServerView& view, mcp::Listing& listing);

// Gives each item a displayed name of its own, where several would have the same one. Of items that
// their server lists twice under one name the first stays; returns the names of those that said
// something else, sorted, one for each that was removed.
std::vector<std::string> name_each_once(std::vector<CatalogTool>& tools, const std::string& start);

}  // namespace pi_mcp::catalog
