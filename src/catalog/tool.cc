#include "catalog/tool.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "json/canonical.h"
#include "json/document.h"

namespace pi_mcp::catalog {
namespace {

bool matches_any(const std::vector<std::string>& globs, const std::vector<std::string>& names) {
  return std::any_of(globs.begin(), globs.end(), [&names](const std::string& glob) {
    return std::any_of(names.begin(), names.end(), [&glob](const std::string& name) {
      return text::glob_match(glob, name);
    });
  });
}

bool is_shown(const CatalogTool& tool, const ServerView& view) {
  if (view.shows_all()) {
    return true;
  }
  const std::vector<std::string> names = spellings_of(tool);
  return (view.include.empty() || matches_any(view.include, names)) &&
         (view.only.empty() || matches_any(view.only, names)) &&
         !matches_any(view.exclude, names) && !(view.hides && view.hides(names));
}

// Some servers have their titles in the annotations only, where they were before 2025-06-18.
std::string title_of(mcp::Tool& tool) {
  const bool may_have_title = tool.annotations.view().find("title") != std::string_view::npos;
  if (!tool.title.empty() || !may_have_title) {
    return std::move(tool.title);
  }
  const Result<json::Document> annotations =
      json::Document::parse(std::string(tool.annotations.view()));
  return annotations ? annotations->root().find("title").string_or("") : std::string();
}

CatalogTool from_tool(std::string_view server, mcp::Tool tool, PrefixMode prefix) {
  CatalogTool made;
  made.server = server;
  made.name = displayed_name(server, tool.name, prefix);
  made.original = std::move(tool.name);
  made.title = title_of(tool);
  made.description = std::move(tool.description);
  made.input_schema = std::move(tool.input_schema);
  made.annotations = std::move(tool.annotations);
  made.others = std::move(tool.others);
  return made;
}

CatalogTool from_resource(std::string_view server,
                          const mcp::Resource& resource,
                          PrefixMode prefix) {
  CatalogTool made;
  made.server = server;
  made.original = std::string(resource_verb) + resource_base_name(resource.name);
  made.name = displayed_name(server, made.original, prefix);
  made.title = resource.title;
  made.description =
      resource.description.empty() ? "Read resource: " + resource.uri : resource.description;
  made.resource_uri = resource.uri;
  return made;
}

// Positions of the tools, equal displayed names beside each other, in order among themselves.
std::vector<std::size_t> order_by_name(const std::vector<CatalogTool>& tools) {
  std::vector<std::size_t> order(tools.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&tools](std::size_t a, std::size_t b) {
    return std::tie(tools[a].name, a) < std::tie(tools[b].name, b);
  });
  return order;
}

// A name of the server's own beats one that the prefix has made: of "validate" and "n8n_validate"
// of the server n8n, both shown as "n8n_validate", the other gets the prefix once more.
void prefix_again(std::vector<CatalogTool>& tools, const std::string& start) {
  if (start.empty()) {
    return;
  }
  const std::vector<std::size_t> order = order_by_name(tools);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    CatalogTool& one = tools[order[i]];
    CatalogTool& other = tools[order[i + 1]];
    const bool one_has_it = one.original == one.name;
    if (one.name == other.name && one_has_it != (other.original == other.name)) {
      (one_has_it ? other : one).name.insert(0, start);
      ++i;
    }
  }
}

// What else is shown under one name: who is called so by its server keeps it. The others' names
// were made (of "a.b", or of a resource), and get four digits of their own behind them, each time
// the same ones, since people allow tools by name.
void tell_apart(std::vector<CatalogTool>& tools, const std::string& start) {
  constexpr std::size_t digits = 4;
  const std::vector<std::size_t> order = order_by_name(tools);
  for (std::size_t i = 0; i < order.size();) {
    const std::string shared = tools[order[i]].name;
    std::size_t end = i;
    std::set<std::string_view> own_names;
    for (; end < order.size() && tools[order[end]].name == shared; ++end) {
      own_names.insert(tools[order[end]].own_name());
    }
    for (; i < end; ++i) {
      CatalogTool& tool = tools[order[i]];
      const bool is_its_own =
          !tool.is_resource() && (tool.original == shared || start + tool.original == shared);
      if (own_names.size() > 1 && !is_its_own) {
        tool.name += "_" + sha256_hex(tool.own_name()).substr(0, digits);
      }
    }
  }
}

}  // namespace

std::vector<std::string> spellings_of(const CatalogTool& tool) {
  return accepted_spellings(tool.server, tool.original, tool.is_resource());
}

bool names_tool(std::string_view pattern, const CatalogTool& tool) {
  return text::glob_match(pattern, tool.original) || text::glob_match(pattern, tool.name) ||
         matches_any({std::string(pattern)}, spellings_of(tool));
}

bool CatalogTool::operator==(const CatalogTool& other) const {
  const auto fields = [](const CatalogTool& t) {
    return std::tuple(std::string_view(t.server),
                      std::string_view(t.name),
                      std::string_view(t.original),
                      std::string_view(t.title),
                      std::string_view(t.description),
                      t.others.view(),
                      std::string_view(t.resource_uri));
  };
  return fields(*this) == fields(other) &&
         json::is_same_value(annotations.view(), other.annotations.view()) &&
         json::is_same_value(input_schema.view(), other.input_schema.view());
}

std::vector<CatalogTool> shown_tools(const std::string& server,
                                     const ServerView& view,
                                     mcp::Listing& listing) {
  std::vector<CatalogTool> tools;
  tools.reserve(listing.tools.size() + (view.expose_resources ? listing.resources.size() : 0));
  for (mcp::Tool& tool : listing.tools) {
    tools.push_back(from_tool(server, std::move(tool), view.prefix));
  }
  if (view.expose_resources) {
    for (const mcp::Resource& resource : listing.resources) {
      // The page of an MCP App is for people; a model has nothing of its source.
      if (!resource.uri.starts_with("ui://")) {
        tools.push_back(from_resource(server, resource, view.prefix));
      }
    }
  }
  std::erase_if(tools, [&view](const CatalogTool& tool) { return !is_shown(tool, view); });
  return tools;
}

bool hides_tool(const std::string& server, const ServerView& view, std::string_view original) {
  CatalogTool tool;
  tool.server = server;
  tool.original = original;
  tool.name = displayed_name(server, tool.original, view.prefix);
  return !is_shown(tool, view);
}

std::set<std::string, std::less<>> take_out_hidden(const std::string& server,
                                                   const ServerView& view,
                                                   std::vector<mcp::Resource>& resources) {
  std::set<std::string, std::less<>> hidden;
  if (!view.shows_all()) {
    std::erase_if(resources, [&](const mcp::Resource& resource) {
      return !is_shown(from_resource(server, resource, view.prefix), view) &&
             (hidden.insert(resource.uri), true);
    });
  }
  return hidden;
}

bool hides_prompt(const ServerView& view, const std::string& name) {
  return !view.only.empty() && !matches_any(view.only, {name});
}

void take_out_unnamed(const ServerView& view, mcp::Listing& listing) {
  if (view.only.empty()) {
    return;
  }
  std::erase_if(listing.prompts,
                [&](const mcp::Prompt& prompt) { return hides_prompt(view, prompt.name); });
  listing.templates.clear();
  listing.notes.clear();
  listing.skipped = 0;
}

std::vector<std::string> name_each_once(std::vector<CatalogTool>& tools, const std::string& start) {
  prefix_again(tools, start);
  tell_apart(tools, start);
  const std::vector<std::size_t> order = order_by_name(tools);
  std::vector<bool> removed(tools.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < order.size();) {
    const CatalogTool& first = tools[order[i]];
    for (++i; i < order.size() && tools[order[i]].name == first.name; ++i) {
      removed[order[i]] = true;
      if (!(tools[order[i]] == first)) {
        names.push_back(first.name);
      }
    }
  }
  std::size_t position = 0;
  std::erase_if(tools, [&](const CatalogTool&) { return removed[position++]; });
  return names;
}

}  // namespace pi_mcp::catalog
