#include "tool/tool_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "search/words.h"

namespace pi_mcp::tool {
namespace {

using Words = std::vector<std::string>;

// How many words all names begin with; at least one word of each is left.
std::size_t shared_words(const std::vector<Words>& names) {
  std::size_t shared = names.front().size();
  for (const Words& name : names) {
    const auto [end, ignored] =
        std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    const auto same = static_cast<std::size_t>(end - name.begin());
    shared = std::min({shared, same, name.empty() ? 0 : name.size() - 1});
  }
  return shared;
}

// What the displayed name has in front of the server's own; empty when it does not end with that.
std::string_view prefix_of(const catalog::CatalogTool& tool) {
  const std::string_view name = tool.name;
  return name.ends_with(tool.original) ? name.substr(0, name.size() - tool.original.size())
                                       : std::string_view();
}

// What stands alone becomes one group. Many resources must not stand before the tools.
std::vector<ToolGroup> tools_first(const std::vector<ToolGroup>& groups) {
  ToolGroup alone;
  std::vector<ToolGroup> tools;
  std::vector<ToolGroup> resources;
  for (const bool is_resource : {false, true}) {
    for (const ToolGroup& group : groups) {
      if (group.tools.front()->is_resource() != is_resource) {
        continue;
      }
      if (group.tools.size() == 1) {
        alone.tools.push_back(group.tools.front());
      } else {
        (is_resource ? resources : tools).push_back(group);
      }
    }
  }
  if (!alone.tools.empty()) {
    tools.push_back(std::move(alone));
  }
  std::ranges::move(resources, std::back_inserter(tools));
  return tools;
}

}  // namespace

std::vector<ToolGroup> group_tools(const std::vector<catalog::CatalogTool>& tools) {
  std::vector<Words> names;
  names.reserve(tools.size());
  for (const catalog::CatalogTool& tool : tools) {
    names.push_back(search::tokens(tool.original));
  }
  const std::size_t skipped = names.empty() ? 0 : shared_words(names);
  std::vector<ToolGroup> groups;
  std::map<std::pair<bool, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string word = skipped < names[i].size() ? names[i][skipped] : std::string();
    const auto [place, is_new] = places.try_emplace({tools[i].is_resource(), word}, groups.size());
    if (is_new) {
      groups.push_back({.word = word, .tools = {}});
    }
    groups[place->second].tools.push_back(&tools[i]);
  }
  return tools_first(groups);
}

std::string_view common_prefix(const std::vector<catalog::CatalogTool>& tools) {
  std::string_view prefix;
  for (const catalog::CatalogTool& tool : tools) {
    const std::string_view own = prefix_of(tool);
    if (own.empty() || (!prefix.empty() && own != prefix)) {
      return {};
    }
    prefix = own;
  }
  return prefix;
}

std::vector<const catalog::CatalogTool*> in_order(const std::vector<ToolGroup>& groups) {
  std::vector<const catalog::CatalogTool*> tools;
  for (const ToolGroup& group : groups) {
    tools.insert(tools.end(), group.tools.begin(), group.tools.end());
  }
  return tools;
}

std::string factored_names(const std::vector<const catalog::CatalogTool*>& tools,
                           const HasNamesake& has_namesake) {
  struct Family {
    std::string_view prefix;
    std::vector<std::string> rests;
  };
  std::vector<Family> families;
  for (const catalog::CatalogTool* tool : tools) {
    const std::string name = name_with_home(*tool, has_namesake);
    const std::string_view prefix = name == tool->name ? prefix_of(*tool) : std::string_view();
    auto family = std::ranges::find(families, prefix, &Family::prefix);
    if (prefix.empty() || family == families.end()) {
      family = families.insert(families.end(), {.prefix = prefix, .rests = {}});
    }
    family->rests.push_back(name.substr(prefix.size()));
  }
  std::vector<std::string> names;
  names.reserve(families.size());
  for (const Family& family : families) {
    const std::string rests = text::join(family.rests, ", ");
    names.push_back(std::string(family.prefix) +
                    (family.rests.size() == 1 ? rests : "{" + rests + "}"));
  }
  return text::join(names, ", ");
}

GroupedPage grouped_page(const std::vector<ToolGroup>& groups,
                         std::size_t offset,
                         std::size_t tokens_max,
                         std::size_t prefix_size) {
  GroupedPage page;
  std::size_t tokens = 0;
  std::size_t number = 0;
  for (const ToolGroup& group : groups) {
    bool started = false;
    for (const catalog::CatalogTool* tool : group.tools) {
      if (number++ < offset) {
        continue;
      }
      std::string part = started ? ", " : "\n";
      part += started || group.word.empty() ? "" : group.word + ": ";
      part += tool->name.substr(prefix_size);
      // A name's underscores make it longer than as many letters of a text.
      constexpr std::size_t separators = 1;
      tokens += estimated_tokens(part) + separators;
      if (!page.tools.empty() && tokens > tokens_max) {
        return page;
      }
      page.text += part;
      page.tools.push_back(tool);
      started = true;
    }
  }
  return page;
}

}  // namespace pi_mcp::tool
