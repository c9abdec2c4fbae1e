#include "gateway/mode_search.h"

#include <cmath>
#include <optional>

#include "base/text.h"
#include "gateway/answer_budget.h"
#include "gateway/call_context.h"
#include "gateway/direct_tools.h"
#include "gateway/failures.h"
#include "gateway/mode_parts.h"
#include "gateway/trust_desk.h"
#include "search/reference_score.h"

namespace pi_mcp::gateway {
namespace {

constexpr std::size_t servers_named_max = 5;

// Servers that no search can look into yet.
std::vector<std::string> unknown_servers(const Roster& roster, const std::string& server) {
  std::vector<std::string> unknown;
  for (const std::string& name : roster.enabled_servers()) {
    if ((server.empty() || server == name) &&
        roster.knowledge(name) == catalog::Knowledge::unknown) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

Message unsearched_text(const std::vector<std::string>& servers) {
  if (servers.empty()) {
    return {};
  }
  const Message connect = NextStep{.mode = Mode::connect, .subject = servers.front()};
  const Message text =
      "Not searched, because never connected: " + name_list(servers, servers_named_max);
  return servers.size() == 1 ? text + ". Use " + connect + " to include it."
                             : text + ". To include them, connect each: " + connect + " and so on.";
}

// What to do when no tool of any server was found: that a search found nothing does not mean that
// nobody can do it.
Message without_hits_text(const Roster& roster) {
  std::vector<std::string> searched;
  for (const std::string& name : roster.enabled_servers()) {
    if (!roster.catalog().tools(name).empty()) {
      searched.push_back(name);
    }
  }
  if (!searched.empty()) {
    return "\nSearched: " + name_list(searched, servers_named_max) +
           ". Try other words, or see all tools of one: " +
           Message(NextStep{.mode = Mode::list, .subject = searched.front()}) + ".";
  }
  // All of them were never connected, or need trust, which is said besides.
  if (!roster.enabled_servers().empty() || !roster.settings().trust_requests.empty()) {
    return {};
  }
  return roster.catalog().servers().empty()
             ? "\n" + std::string(no_server_text)
             : "\nEvery server is disabled. To use one again, run: pi-mcp enable NAME";
}

std::vector<SearchFacts::Match> matches_of(const SearchableTools& prepared,
                                           const ToolRequest& request,
                                           const std::vector<search::Hit>& hits,
                                           const MarksOf& marks_of) {
  const bool is_scored = !request.regex && !text::trim(request.subject).empty();
  std::vector<SearchFacts::Match> matches;
  matches.reserve(hits.size());
  for (const search::Hit& hit : hits) {
    const catalog::CatalogTool& tool = *prepared.tools[hit.document];
    SearchFacts::Match match;
    match.server = tool.server;
    match.tool = tool.name;
    match.marks = marks_of(tool);
    if (is_scored) {
      match.score = {.reference = search::reference_score(prepared.ranker.document(hit.document),
                                                          request.subject),
                     .relevance = hit.score};
    }
    if (is_scored && request.explain) {
      match.explanation = prepared.ranker.explain(request.subject, hit.document, request.server);
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

// Refuses what cannot be looked for.
std::optional<Answer> check_query(const Roster& roster, const ToolRequest& request) {
  if (!request.server.empty() && roster.find(request.server) == nullptr) {
    const Answer unknown = unknown_server(Mode::search, request.server).take();
    return Reply(Mode::search,
                 unknown.failure,
                 unknown.code,
                 nothing_text(request) + "\n" + unknown.facts->text())
        .with("server", echoed(request.server))
        .with_json("matches", "[]")
        .with_json("count", "0")
        .take();
  }
  if (!request.server.empty() && !roster.is_enabled(request.server)) {
    return disabled_server(Mode::search, request.server).take();
  }
  if (text::trim(request.subject).empty() && request.server.empty()) {
    return Reply(Mode::search,
                 Failure::usage,
                 "empty_query",
                 "Search query cannot be empty\nGive words to look for, or a server as well to "
                 "see all of its tools.")
        .take();
  }
  if (request.regex && text::utf16_length(request.subject) > search::pattern_length_max) {
    return Reply(Mode::search,
                 Failure::usage,
                 "query_too_long",
                 "Regex query is too long; maximum length is " +
                     std::to_string(search::pattern_length_max) + " characters.")
        .with("maxLength", search::pattern_length_max)
        .take();
  }
  return std::nullopt;
}

// invalid_argument: a pattern that is none.
Result<SearchHits> find(const SearchableTools& prepared, const ToolRequest& request) {
  if (text::trim(request.subject).empty()) {
    return all_of_server(prepared, request.server);
  }
  if (!request.regex) {
    return search_by_words(prepared.ranker, request);
  }
  Result<std::vector<search::Hit>> hits = prepared.ranker.match(request.subject, request.server);
  if (!hits) {
    return fail(hits.error());
  }
  SearchHits found;
  found.hits = *std::move(hits);
  found.heading = matching_heading(count_text(found.hits.size()), request);
  return found;
}

Answer search(const ModeParts& parts, const ToolRequest& request) {
  const Roster& roster = *parts.roster;
  if (std::optional<Answer> refused = check_query(roster, request)) {
    return *std::move(refused);
  }
  const SearchableTools& prepared = parts.index->prepare();
  const Result<SearchHits> found = find(prepared, request);
  if (!found) {
    return Reply(Mode::search,
                 Failure::usage,
                 "invalid_pattern",
                 "Invalid regex: " + echoed(request.subject) + "\n" + found.error().message())
        .with("query", echoed(request.subject))
        .take();
  }
  const NameNotes notes{.has_namesake = namesakes(roster), .marks_of = parts.marks_of};
  SearchFacts facts;
  facts.query = echoed(request.subject);
  facts.page = search_page(prepared, request, *found, answer_tokens_max(roster), notes);
  facts.matches = matches_of(prepared, request, facts.page.hits, parts.marks_of);
  facts.confident = found->confident;
  facts.unsearched = unknown_servers(roster, request.server);
  if (request.server.empty()) {
    facts.without_hits = found->hits.empty() ? without_hits_text(roster) : Message();
    facts.trust = trust_note(roster.settings(), parts.trust->step());
  }
  for (const SearchFacts::Match& match : facts.matches) {
    parts.direct->show(match.server, match.tool);
  }
  return answer_of(Mode::search, std::move(facts));
}

}  // namespace

Message SearchFacts::text() const {
  Message text = page.text() + without_hits;
  if (!unsearched.empty()) {
    text += page.total == 0 ? "\n" : "\n\n";
    text += unsearched_text(unsearched);
  }
  return text + trust.text();
}

void SearchFacts::write_details(json::Writer& out) const {
  out.key("matches").begin_array();
  for (const Match& match : matches) {
    out.begin_object().member("server", match.server).member("tool", match.tool);
    if (!match.score) {
      out.member("score", 0);
    } else {
      out.key("score").number(match.score->reference);
      out.key("relevance").number(std::round(match.score->relevance * 100) / 100);
    }
    if (!match.explanation.empty()) {
      out.member_raw("explanation", names_json(match.explanation));
    }
    if (match.marks.needs_approval) {
      out.member("requiresApproval", true);
    }
    if (match.marks.is_projects) {
      out.member("project", true);
    }
    out.end_object();
  }
  out.end_array()
      .member("count", page.total)
      .member("hasMore", page.next().has_value())
      .member_raw("nextOffset", page.next() ? std::to_string(*page.next()) : "null")
      .member("query", query);
  if (confident) {
    out.member("confidence", *confident ? "high" : "low");
  }
  if (!unsearched.empty()) {
    out.member_raw("unsearchedServers", names_json(unsearched));
  }
}

io::Task<Answer> run_search(ModeParts* parts, ToolRequest request, CallContext /*context*/) {
  parts->roster->note_use(request.server);
  parts->roster->learn_from_others(request.server);
  Answer answer = search(*parts, request);
  parts->on_shown();
  co_return answer;
}

}  // namespace pi_mcp::gateway
