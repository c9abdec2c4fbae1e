// Many tools in few words: their names, those of one server grouped by the first word that tells
// them apart, what names begin with written once. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "tool/text.h"

namespace pi_mcp::tool {

struct ToolGroup {
  std::string word;  // empty: tools that share their word with no other
  std::vector<const catalog::CatalogTool*> tools;
};

// In the order in which the tools come; those that stand alone last.
std::vector<ToolGroup> group_tools(const std::vector<catalog::CatalogTool>& tools);

// The tools as lists number them, whatever they show of them: `groups` after each other; a page of
// names may be followed by one of lines.
std::vector<const catalog::CatalogTool*> in_order(const std::vector<ToolGroup>& groups);

// What every displayed name has in front of the server's own; empty when that differs, or when a
// name without it would be another tool's.
std::string_view common_prefix(const std::vector<catalog::CatalogTool>& tools);

// Displayed names of tools of any servers; what a server's begin with is written once, as in a
// shell: "git_{log, show}, files_read"; names that are not unique with their server. In the order
// in which tools and servers come.
std::string factored_names(const std::vector<const catalog::CatalogTool*>& tools,
                           const HasNamesake& has_namesake = {});

// A part of the groups, a line each: "create: create_branch, create_issue".
struct GroupedPage {
  std::string text;
  std::vector<const catalog::CatalogTool*> tools;
};
// From the tool number `offset` on (through the groups in their order), about `tokens_max` tokens
// and one name at least. Names are shown without their first `prefix_size` bytes.
GroupedPage grouped_page(const std::vector<ToolGroup>& groups,
                         std::size_t offset,
                         std::size_t tokens_max,
                         std::size_t prefix_size);

}  // namespace pi_mcp::tool
