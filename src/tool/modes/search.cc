#include "tool/modes/search.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/count_text.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "tool/answer_budget.h"
#include "tool/call_context.h"
#include "tool/consent/trust_gate.h"
#include "tool/direct/direct_tools.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/lookup.h"
#include "tool/mode_parts.h"
#include "tool/modes/past_end.h"
#include "tool/reference_score.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t servers_named_max = 5;

// What to do when no tool of any server was found: one that was not found may still exist.
Message without_hits_text(const registry::ServerRegistry& registry) {
  std::vector<std::string> searched;
  for (const std::string& name : registry.enabled_servers()) {
    if (!registry.catalog().tools(name).empty()) {
      searched.push_back(name);
    }
  }
  if (!searched.empty()) {
    return "\nSearched: " + name_list(searched, servers_named_max) +
           ". Try other words, or see all tools of one: " +
           Message(NextStep{.mode = Mode::list, .subject = searched.front()}) + ".";
  }
  // Every one was never connected, or needs trust, which is said elsewhere.
  if (!registry.enabled_servers().empty() || !registry.settings().trust_requests.empty()) {
    return {};
  }
  return registry.catalog().servers().empty()
             ? no_server(registry.settings(), "\n")
             : "\nEvery server is disabled. To use one again, run: " +
                   Message(PersonStep{.shell = "enable NAME", .pi = "/mcp enable NAME"});
}

std::vector<SearchFacts::Match> matches_of(const registry::SearchableTools& prepared,
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
    if (request.definitions) {
      match.definition = definition_of(tool);
    }
    if (is_scored) {
      match.score = {
          .reference = reference_score(prepared.ranker.document(hit.document), request.subject),
          .relevance = hit.score};
    }
    if (is_scored && request.explain) {
      match.explanation = prepared.ranker.explain(request.subject, hit.document, request.server);
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

// Of a disabled server that a word of the query names, or whose tool it names; empty for none.
Message disabled_text(const registry::ServerRegistry& registry, const std::string& query) {
  for (const std::string_view word : text::words(query)) {
    const std::string server = disabled_home(registry, std::string(word));
    if (!server.empty() && registry.find(server)->standing != config::Standing::needs_trust) {
      return "\n\n" + disabled_server(Mode::search, registry, server).take().facts->text();
    }
  }
  return {};
}

// Refuses a query that cannot be run.
std::optional<Answer> check_query(const registry::ServerRegistry& registry,
                                  const ToolRequest& request) {
  if (!request.server.empty() && registry.find(request.server) == nullptr) {
    const Answer unknown = unknown_server(Mode::search, registry, request.server).take();
    return Reply(Mode::search,
                 unknown.failure,
                 unknown.code,
                 nothing_text(request) + "\n" + unknown.facts->text())
        .with("server", echoed(request.server))
        .with_json("matches", "[]")
        .with_json("count", "0")
        .take();
  }
  if (!request.server.empty() && !registry.is_enabled(request.server)) {
    return disabled_server(Mode::search, registry, request.server).take();
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

// Many resources must not stand before the tools: one has to fit twice as well, or be named.
void put_tools_first(const registry::SearchableTools& prepared, std::vector<search::Hit>& hits) {
  std::vector<search::Hit> tools;
  std::vector<search::Hit> resources;
  for (const search::Hit& hit : hits) {
    (prepared.tools[hit.document]->is_resource() ? resources : tools).push_back(hit);
  }
  std::ranges::merge(
      tools, resources, hits.begin(), [](const search::Hit& resource, const search::Hit& tool) {
        return resource.named || resource.score > 2 * tool.score;
      });
}

// invalid_argument: not a valid pattern.
Result<SearchHits> find(const registry::SearchableTools& prepared, const ToolRequest& request) {
  if (text::trim(request.subject).empty()) {
    return all_of_server(prepared, request.server);
  }
  if (!request.regex) {
    SearchHits found = search_by_words(prepared.ranker, request);
    put_tools_first(prepared, found.hits);
    return found;
  }
  Result<std::vector<search::Hit>> hits = prepared.ranker.match(request.subject, request.server);
  if (!hits) {
    return fail(hits.error());
  }
  SearchHits found;
  found.hits = *std::move(hits);
  put_tools_first(prepared, found.hits);
  found.heading = matching_heading(text::count_text(found.hits.size(), "tool"), request);
  return found;
}

Answer search(const ModeParts& parts, const ToolRequest& request) {
  const registry::ServerRegistry& registry = *parts.registry;
  if (std::optional<Answer> refused = check_query(registry, request)) {
    return *std::move(refused);
  }
  const registry::SearchableTools& prepared = parts.index->prepare();
  const Result<SearchHits> found = find(prepared, request);
  if (!found) {
    return Reply(Mode::search,
                 Failure::usage,
                 "invalid_pattern",
                 "Invalid regex: " + echoed(request.subject) + "\n" + found.error().message())
        .with("query", echoed(request.subject))
        .take();
  }
  const NameNotes notes{.has_namesake = namesakes(registry), .marks_of = parts.marks_of};
  SearchFacts facts;
  facts.query = echoed(request.subject);
  facts.page = search_page(prepared, request, *found, answer_tokens_max(registry), notes);
  facts.matches = matches_of(prepared, request, facts.page.hits, parts.marks_of);
  facts.confident = found->confident;
  facts.unsearched = unknown_servers(registry, request.server);
  facts.unsearched_text = unknown_text(facts.unsearched, parts.told);
  if (request.server.empty()) {
    facts.without_hits = found->hits.empty() ? without_hits_text(registry) : Message();
    facts.without_hits += found->confident.value_or(!found->hits.empty())
                              ? Message()
                              : disabled_text(registry, request.subject);
    facts.trust = parts.trust->note();
  }
  for (const SearchFacts::Match& match : facts.matches) {
    parts.direct->show(match.server, match.tool);
  }
  return answer_of(Mode::search, std::move(facts));
}

}  // namespace

Message SearchFacts::text() const {
  const bool is_past_end = page.total > 0 && page.hits.empty();
  Message text =
      is_past_end ? past_end_text(page.total, "matching tool") : page.text() + without_hits;
  if (!unsearched.empty()) {
    text += page.total == 0 ? "\n" : "\n\n";
    text += unsearched_text;
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
    if (match.definition) {
      write_definition(out, *match.definition);
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
    out.member_raw("unsearchedServers", names_json(names_of(unsearched)));
  }
}

io::Task<Answer> run_search(ModeParts* parts, ToolRequest request, CallContext context) {
  parts->registry->note_use(request.server);
  parts->registry->learn_from_others(request.server);
  Answer answer = search(*parts, request);
  const auto has_hits = [](const Answer& found) {
    const SearchFacts* const facts = found.get<SearchFacts>();
    return facts == nullptr || facts->page.total > 0;
  };
  if (!has_hits(answer)) {
    co_await wait_for_unknown(
        parts,
        request.server,
        std::move(context),
        [&] { return has_hits(search(*parts, request)); },
        io::now() + parts->first_wait);
    answer = search(*parts, request);
  }
  if (const SearchFacts* const facts = answer.get<SearchFacts>()) {
    for (const UnknownServer& server : facts->unsearched) {
      parts->told.emplace(server.name, server.why);
    }
  }
  parts->on_shown();
  co_return answer;
}

}  // namespace pi_mcp::tool
