#include "tool/search_view.h"

#include <algorithm>

#include "base/text.h"
#include "tool/tool_groups.h"

namespace pi_mcp::tool {
namespace {

// Descriptions end with a sentence where one ends early enough.
constexpr std::size_t description_units_max = 160;
// Short parameters are shown with their descriptions, others as a type, cut at this length.
constexpr std::size_t parameters_bytes_max = 120;
constexpr std::size_t shape_bytes_max = 260;
// Tools that score at least this part of the best one are likely; the first so many always are.
constexpr double likely_share = 0.6;
constexpr std::ptrdiff_t likely_min = 5;

// The beginning of a description, in one line: as many whole sentences as fit, else words.
std::string beginning(std::string_view description) {
  std::string line = one_line(description);
  if (text::utf16_length(line) <= description_units_max) {
    return line;
  }
  std::size_t bytes_max = 0;
  for (std::size_t units = 0; units < description_units_max; ++units) {
    (void)text::next_code_point(line, bytes_max);
  }
  const std::size_t end = sentences_end(line, bytes_max);
  return end == 0 ? text::cut(line, description_units_max) : line.substr(0, end);
}

// Parameters for a page of many tools: all about few, else their types. Ends with "..." when cut.
std::string short_parameters(const SharedText& schema) {
  std::string lines = schema_block(schema, SchemaStyle::human, "  ");
  if (lines.size() <= parameters_bytes_max) {
    return lines.empty() || lines.ends_with(no_parameters) ? lines : "\n" + lines;
  }
  std::string shape = one_line(schema_block(schema, SchemaStyle::typescript, ""));
  if (!shape.starts_with("Shape: ")) {
    if (lines.size() > shape_bytes_max) {
      lines.resize(lines.rfind('\n', shape_bytes_max));
      lines += "\n    ...";
    }
    return lines;
  }
  if (shape.size() > shape_bytes_max) {
    const std::size_t end = shape.rfind("; ", shape_bytes_max);
    shape = end == std::string::npos ? text::cut(shape, shape_bytes_max)
                                     : shape.substr(0, end + 1) + " ...";
  }
  return "  " + shape;
}

// Name, description and parameters of one tool.
std::string tool_block(const catalog::CatalogTool& tool, const NameNotes& notes) {
  const std::string description = beginning(tool.description);
  std::string block = name_with_notes(tool, notes) + "\n  " +
                      (description.empty() ? std::string("(no description)") : description);
  if (tool.is_resource()) {
    return block + "\n  No parameters (resource tool).";
  }
  const std::string parameters = short_parameters(tool.input_schema);
  return parameters.empty() ? block : block + "\n" + parameters;
}

std::string explanation_text(const search::Ranker& ranker,
                             const ToolRequest& request,
                             std::size_t document) {
  std::string text;
  for (const std::string& line : ranker.explain(request.subject, document, request.server)) {
    text += "\n    " + line;
  }
  return text;
}

std::string hit_text(const registry::SearchableTools& prepared,
                     const ToolRequest& request,
                     std::size_t document,
                     const NameNotes& notes) {
  const catalog::CatalogTool& tool = *prepared.tools[document];
  std::string text =
      request.include_schemas ? "\n\n" + tool_block(tool, notes) : "\n" + dash_line(tool, notes);
  if (request.explain) {
    text += explanation_text(prepared.ranker, request, document);
  }
  return text;
}

}  // namespace

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " tool" : " tools");
}

SearchHits all_of_server(const registry::SearchableTools& prepared, const std::string& server) {
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
  search::Ranking ranking = ranker.rank(request.subject, request.server);
  ranking.hits.resize(ranking.close);
  SearchHits found;
  found.hits = std::move(ranking.hits);
  found.confident = !ranking.low();
  const std::string count = (ranking.more_close ? "more than " : "") + count_text(ranking.close);
  if (!*found.confident) {
    found.heading = "No tool matches all of " + quoted(request.subject) + "; nearest " + count;
    return found;
  }
  found.heading = matching_heading(count, request);
  const auto likely = std::ranges::count_if(found.hits, [&found](const search::Hit& hit) {
    return hit.score >= likely_share * found.hits.front().score;
  });
  found.likely = static_cast<std::size_t>(std::max(likely, likely_min));
  return found;
}

std::string matching_heading(std::string_view count, const ToolRequest& request) {
  return "Found " + std::string(count) + " matching " + quoted(request.subject);
}

std::string nothing_text(const ToolRequest& request) {
  return "No tools matching " + quoted(request.subject) +
         (request.server.empty() ? "" : " in " + quoted(request.server));
}

std::optional<std::size_t> SearchPage::next() const {
  const std::size_t behind = first + hits.size();
  return behind < total ? std::optional(behind) : std::nullopt;
}

Message SearchPage::text() const {
  Message text = heading + tools;
  if (namesake) {
    text += namesake_note(namesake->first, namesake->second);
  }
  return text + paging_footer(hits.size(), first, total);
}

SearchPage search_page(const registry::SearchableTools& prepared,
                       const ToolRequest& request,
                       const SearchHits& found,
                       std::size_t tokens_max,
                       const NameNotes& notes) {
  SearchPage page;
  page.total = found.hits.size();
  page.first = std::min(request.offset, page.total);
  page.heading = page.total == 0 ? nothing_text(request) : found.heading + ":";
  const std::size_t limit = request.limit.value_or(search_limit_default);
  const bool may_name =
      !request.limit && page.first == 0 && request.include_schemas && !request.explain;
  std::vector<const catalog::CatalogTool*> named;
  std::size_t tokens = estimated_tokens(page.heading);
  for (std::size_t i = page.first; i < page.total && page.hits.size() < limit; ++i) {
    const catalog::CatalogTool& tool = *prepared.tools[found.hits[i].document];
    const bool by_name = may_name && i >= found.likely;
    const std::string shown =
        by_name ? tool.name : hit_text(prepared, request, found.hits[i].document, notes);
    tokens += estimated_tokens(shown);
    // One is always shown.
    if (!page.hits.empty() && tokens > tokens_max) {
      break;
    }
    if (by_name) {
      named.push_back(&tool);
    } else {
      page.tools += shown;
    }
    if (!page.namesake && notes.has_namesake && notes.has_namesake(tool)) {
      page.namesake.emplace(tool.name, tool.server);
    }
    page.hits.push_back(found.hits[i]);
  }
  page.named = named.size();
  if (!named.empty()) {
    page.tools +=
        "\n\nLess likely, describe shows them: " + factored_names(named, notes.has_namesake);
  }
  // A list of names stands apart from the heading; blocks bring their own empty lines.
  if (!request.include_schemas && !page.tools.empty()) {
    page.tools.insert(0, "\n");
  }
  return page;
}

}  // namespace pi_mcp::tool
