#include "gateway/mode_search.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/failures.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

using Failure = ToolResult::Failure;

// Longer descriptions are for describe: a page of search results must stay readable.
constexpr std::size_t description_units_max = 600;
constexpr std::size_t schema_bytes_max = 4096;
constexpr std::size_t servers_named_max = 5;

// The tools to show, best first, and what the first line says about them.
struct Found {
  std::vector<search::Hit> hits;
  std::string heading;  // without the colon; empty when nothing was found
};

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " tool" : " tools");
}

// Servers that no search can look into yet.
std::vector<std::string> unknown_servers(const Roster& roster, const std::string& server) {
  std::vector<std::string> unknown;
  for (const std::string& name : roster.enabled_servers()) {
    if ((server.empty() || server == name) &&
        roster.catalog().knowledge(name) == catalog::Knowledge::unknown) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

std::string unknown_servers_text(const std::vector<std::string>& servers) {
  if (servers.empty()) {
    return {};
  }
  return "Not searched, because never connected: " + name_list(servers, servers_named_max) +
         ". Use mcp({ connect: \"" + servers.front() + "\" }) to include it.";
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

// Every tool of one server, by name: what a blank query with a server asks for.
Found all_of_server(const SearchIndex::Prepared& prepared, const std::string& server) {
  Found found;
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

Found by_words(const search::Ranker& ranker, const ToolRequest& request) {
  search::Ranking ranking = ranker.rank(request.search, request.server);
  const std::size_t near = ranking.hits.size() - ranking.whole;
  Found found;
  if (ranking.whole == 0) {
    found.heading =
        "No tool matches all of " + quoted(request.search) + "; nearest " + count_text(near);
  } else {
    found.heading = "Found " + count_text(ranking.whole) + " matching " + quoted(request.search);
    found.heading += near == 0 ? "" : " and " + std::to_string(near) + " near it";
  }
  found.hits = std::move(ranking.hits);
  return found;
}

std::string matches_json(const SearchIndex::Prepared& prepared,
                         const std::vector<search::Hit>& hits) {
  json::Writer out;
  out.begin_array();
  for (const search::Hit& hit : hits) {
    const catalog::CatalogTool& tool = *prepared.tools[hit.document];
    out.begin_object().member("server", tool.server).member("tool", tool.name);
    out.key("score").number(hit.score).end_object();
  }
  return out.end_array().take();
}

std::string nothing_text(const ToolRequest& request) {
  return "No tools matching \"" + request.search + "\"" +
         (request.server.empty() ? "" : " in \"" + request.server + "\"");
}

std::string hits_text(const SearchIndex::Prepared& prepared,
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

ToolResult page(const Roster& roster,
                const SearchIndex::Prepared& prepared,
                const ToolRequest& request,
                const Found& found) {
  const std::size_t total = found.hits.size();
  const std::size_t first = std::min(request.offset, total);
  const std::size_t count = std::min(request.limit.value_or(search_limit_default), total - first);
  const auto begin = found.hits.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<search::Hit> shown(begin, begin + static_cast<std::ptrdiff_t>(count));
  const std::vector<std::string> unknown = unknown_servers(roster, request.server);
  const std::string unknown_text = unknown_servers_text(unknown);

  std::string text = total == 0 ? nothing_text(request) : found.heading + ":";
  text += hits_text(prepared, request, shown) + paging_footer(count, first, total);
  text += unknown_text.empty() ? "" : (total == 0 ? "\n" : "\n\n") + unknown_text;

  const bool more = first + count < total;
  Answer answer(Mode::search, std::move(text));
  answer.with_json("matches", matches_json(prepared, shown))
      .with("count", total)
      .with("hasMore", more)
      .with_json("nextOffset", more ? std::to_string(first + count) : "null")
      .with("query", request.search);
  if (!unknown.empty()) {
    answer.with_json("unsearchedServers", names_json(unknown));
  }
  return answer.take();
}

std::optional<ToolResult> check_query(const Roster& roster, const ToolRequest& request) {
  if (!request.server.empty() && roster.find(request.server) == nullptr) {
    Answer answer = unknown_server(Mode::search, request.server);
    ToolResult result = answer.with_json("matches", "[]").with("count", 0).take();
    result.text = nothing_text(request) + "\n" + result.text;
    return result;
  }
  if (!request.server.empty() && !roster.is_enabled(request.server)) {
    return disabled_server(Mode::search, request.server).take();
  }
  if (text::trim(request.search).empty() && request.server.empty()) {
    return Answer(Mode::search,
                  Failure::usage,
                  "empty_query",
                  "Search query cannot be empty\nGive words to look for, or a server as well to "
                  "see all of its tools.")
        .take();
  }
  if (request.regex && text::utf16_length(request.search) > search::pattern_length_max) {
    return Answer(Mode::search,
                  Failure::usage,
                  "query_too_long",
                  "Regex query is too long; maximum length is " +
                      std::to_string(search::pattern_length_max) + " characters.")
        .with("maxLength", search::pattern_length_max)
        .take();
  }
  return std::nullopt;
}

}  // namespace

ToolResult search_result(const Roster& roster, SearchIndex& index, const ToolRequest& request) {
  if (std::optional<ToolResult> refused = check_query(roster, request)) {
    return *std::move(refused);
  }
  const SearchIndex::Prepared& prepared = index.prepare();
  if (text::trim(request.search).empty()) {
    return page(roster, prepared, request, all_of_server(prepared, request.server));
  }
  if (!request.regex) {
    return page(roster, prepared, request, by_words(*prepared.ranker, request));
  }
  Result<std::vector<search::Hit>> hits = prepared.ranker->match(request.search, request.server);
  if (!hits) {
    return Answer(Mode::search,
                  Failure::usage,
                  "invalid_pattern",
                  "Invalid regex: " + request.search + "\n" + hits.error().message())
        .with("query", request.search)
        .take();
  }
  Found found{.hits = *std::move(hits), .heading = {}};
  found.heading = "Found " + count_text(found.hits.size()) + " matching \"" + request.search + "\"";
  return page(roster, prepared, request, found);
}

}  // namespace pi_mcp::gateway
