#include "gateway/search_view.h"

#include <algorithm>

#include "base/text.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

// Longer descriptions are for describe: a page of search results must stay readable.
constexpr std::size_t description_units_max = 600;
constexpr std::size_t schema_bytes_max = 4096;

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " tool" : " tools");
}

// A block of parameters that is too long for a page ends at a line, with a hint.
std::string limited(std::string block, const std::string& tool) {
  if (block.size() <= schema_bytes_max) {
    return block;
  }
  block.resize(block.rfind('\n', schema_bytes_max));
  return block + "\n    ... mcp({ describe: \"" + tool + "\" }) shows all of it";
}

// Name, description and parameters of one tool.
std::string tool_block(const catalog::CatalogTool& tool) {
  const std::string_view description = text::trim(tool.description);
  std::string block = tool.name + "\n";
  block += indented(description.empty() ? std::string("(no description)")
                                        : text::cut(description, description_units_max),
                    "  ");
  if (tool.is_resource()) {
    return block + "\n\n  No parameters (resource tool).";
  }
  const std::string schema = schema_block(tool.input_schema, search_style, "  ");
  return schema.empty() ? block : block + "\n\n" + limited(schema, tool.name);
}

std::string hits_text(const SearchableTools& prepared,
                      const ToolRequest& request,
                      const std::vector<search::Hit>& shown) {
  std::string text;
  for (const search::Hit& hit : shown) {
    const catalog::CatalogTool& tool = *prepared.tools[hit.document];
    text += request.include_schemas ? "\n\n" + tool_block(tool) : "\n" + dash_line(tool);
  }
  // A list of names stands apart from the heading; blocks bring their own empty lines.
  return request.include_schemas || text.empty() ? text : "\n" + text;
}

}  // namespace

SearchHits all_of_server(const SearchableTools& prepared, const std::string& server) {
  SearchHits found;
  for (std::size_t i = 0; i < prepared.tools.size(); ++i) {
    if (prepared.tools[i]->server == server) {
      found.hits.push_back({.document = i, .score = 0});
    }
  }
  std::sort(found.hits.begin(),
            found.hits.end(),
            [&prepared](const search::Hit& a, const search::Hit& b) {
              return prepared.tools[a.document]->name < prepared.tools[b.document]->name;
            });
  found.heading = "Found " + count_text(found.hits.size()) + " in " + quoted(server);
  return found;
}

SearchHits search_by_words(const search::Ranker& ranker, const ToolRequest& request) {
  search::Ranking ranking = ranker.rank(request.search, request.server);
  const std::size_t near = ranking.hits.size() - ranking.whole;
  SearchHits found;
  if (ranking.whole == 0) {
    found.heading =
        "No tool matches all of " + quoted(request.search) + "; nearest " + count_text(near);
  } else {
    found.heading = matching_heading(ranking.whole, request);
    found.heading += near == 0 ? "" : " and " + std::to_string(near) + " near it";
  }
  found.hits = std::move(ranking.hits);
  return found;
}

std::string matching_heading(std::size_t count, const ToolRequest& request) {
  return "Found " + count_text(count) + " matching " + quoted(request.search);
}

std::string nothing_text(const ToolRequest& request) {
  return "No tools matching " + quoted(request.search) +
         (request.server.empty() ? "" : " in " + quoted(request.server));
}

SearchPage search_page(const SearchableTools& prepared,
                       const ToolRequest& request,
                       const SearchHits& found) {
  const std::size_t total = found.hits.size();
  const std::size_t first = std::min(request.offset, total);
  const std::size_t count = std::min(request.limit.value_or(search_limit_default), total - first);
  const auto begin = found.hits.begin() + static_cast<std::ptrdiff_t>(first);
  SearchPage page;
  page.hits.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  page.next = first + count;
  page.more = page.next < total;
  page.text = total == 0 ? nothing_text(request) : found.heading + ":";
  page.text += hits_text(prepared, request, page.hits) + paging_footer(count, first, total);
  return page;
}

}  // namespace pi_mcp::gateway
