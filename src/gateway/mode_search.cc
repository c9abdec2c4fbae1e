#include "gateway/mode_search.h"

#include <cmath>
#include <optional>

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/failures.h"
#include "gateway/search_view.h"
#include "gateway/tool_text.h"
#include "search/reference_score.h"

namespace pi_mcp::gateway {
namespace {

using Failure = ToolResult::Failure;

constexpr std::size_t servers_named_max = 5;

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
  const std::string connect = "mcp({ connect: " + quoted(servers.front()) + " })";
  return "Not searched, because never connected: " + name_list(servers, servers_named_max) +
         (servers.size() == 1 ? ". Use " + connect + " to include it."
                              : ". To include them, connect each: " + connect + " and so on.");
}

// What to do when no tool of any server was found: that a search found nothing does not mean that
// nobody can do it.
std::string without_hits_text(const Roster& roster) {
  std::vector<std::string> searched;
  for (const std::string& name : roster.enabled_servers()) {
    if (!roster.catalog().tools(name).empty()) {
      searched.push_back(name);
    }
  }
  if (!searched.empty()) {
    return "\nSearched: " + name_list(searched, servers_named_max) +
           ". Try other words, or see all tools of one: mcp({ server: \"" + searched.front() +
           "\" }).";
  }
  // All of them were never connected, or need trust, which is said besides.
  if (!roster.enabled_servers().empty() || !roster.settings().trust_requests.empty()) {
    return {};
  }
  return roster.catalog().servers().empty()
             ? "\n" + std::string(no_server_text)
             : "\nEvery server is disabled. To use one again, run: pi-mcp enable NAME";
}

// `score` is the reference adapter's, `relevance` what the hits are ordered by.
std::string matches_json(const SearchableTools& prepared,
                         const ToolRequest& request,
                         const std::vector<search::Hit>& hits,
                         const MarksOf& marks_of) {
  json::Writer out;
  out.begin_array();
  for (const search::Hit& hit : hits) {
    const catalog::CatalogTool& tool = *prepared.tools[hit.document];
    out.begin_object().member("server", tool.server).member("tool", tool.name);
    if (request.regex || text::trim(request.search).empty()) {
      out.member("score", 0);
    } else {
      const search::Document& document = prepared.ranker.document(hit.document);
      out.key("score").number(search::reference_score(document, request.search));
      out.key("relevance").number(std::round(hit.score * 100) / 100);
      if (request.explain) {
        out.member_raw(
            "explanation",
            names_json(prepared.ranker.explain(request.search, hit.document, request.server)));
      }
    }
    const ToolMarks marks = marks_of(tool);
    if (marks.needs_approval) {
      out.member("requiresApproval", true);
    }
    if (marks.is_projects) {
      out.member("project", true);
    }
    out.end_object();
  }
  return out.end_array().take();
}

ToolResult page(const Roster& roster,
                const SearchableTools& prepared,
                const ToolRequest& request,
                const SearchHits& found,
                const MarksOf& marks_of) {
  const NameNotes notes{.has_namesake = namesakes(roster), .marks_of = marks_of};
  SearchPage page = search_page(prepared, request, found, answer_tokens_max(roster), notes);
  const std::vector<std::string> unknown = unknown_servers(roster, request.server);
  const std::string unknown_text = unknown_servers_text(unknown);
  std::string text = std::move(page.text);
  text += found.hits.empty() && request.server.empty() ? without_hits_text(roster) : "";
  text += unknown_text.empty() ? "" : (found.hits.empty() ? "\n" : "\n\n") + unknown_text;

  Answer answer(Mode::search, std::move(text));
  answer.with_json("matches", matches_json(prepared, request, page.hits, marks_of))
      .with("count", found.hits.size())
      .with("hasMore", page.more)
      .with_json("nextOffset", page.more ? std::to_string(page.next) : "null")
      .with("query", echoed(request.search));
  if (found.confident) {
    answer.with("confidence", *found.confident ? "high" : "low");
  }
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

ToolResult search_result(const Roster& roster,
                         SearchIndex& index,
                         const ToolRequest& request,
                         const MarksOf& marks_of) {
  if (std::optional<ToolResult> refused = check_query(roster, request)) {
    return *std::move(refused);
  }
  const SearchableTools& prepared = index.prepare();
  if (text::trim(request.search).empty()) {
    return page(roster, prepared, request, all_of_server(prepared, request.server), marks_of);
  }
  if (!request.regex) {
    return page(roster, prepared, request, search_by_words(prepared.ranker, request), marks_of);
  }
  Result<std::vector<search::Hit>> hits = prepared.ranker.match(request.search, request.server);
  if (!hits) {
    return Answer(Mode::search,
                  Failure::usage,
                  "invalid_pattern",
                  "Invalid regex: " + echoed(request.search) + "\n" + hits.error().message())
        .with("query", echoed(request.search))
        .take();
  }
  SearchHits found;
  found.hits = *std::move(hits);
  found.heading = matching_heading(count_text(found.hits.size()), request);
  return page(roster, prepared, request, found, marks_of);
}

}  // namespace pi_mcp::gateway
