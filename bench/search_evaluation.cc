#include "search_evaluation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"
#include "search_metrics.h"
#include "tool/search_view.h"

namespace bench {
namespace {

using pi_mcp::Error;
using pi_mcp::ErrorCode;
using pi_mcp::fail;
using pi_mcp::Result;
using pi_mcp::registry::SearchableTools;
namespace catalog = pi_mcp::catalog;
namespace tool = pi_mcp::tool;
namespace json = pi_mcp::json;
namespace mcp = pi_mcp::mcp;
namespace search = pi_mcp::search;
namespace text = pi_mcp::text;
using ToolKey = EvaluationQuery::ToolKey;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::size_t answer_tools = 5;
constexpr double characters_per_token = 4;

tl::unexpected<Error> bad_line(std::size_t line, const std::string& reason) {
  return fail(ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + reason);
}

// What the reader of JSON says of a line is about its only line.
std::string without_line(const std::string& message) {
  constexpr std::string_view place = "line 1, ";
  return message.starts_with(place) ? message.substr(place.size()) : message;
}

// Calls `use` with every line's object and number (from 1) until one is wrong.
template <class Use>
Result<void> for_each_line(std::string_view lines, const Use& use) {
  if (lines.starts_with(byte_order_mark)) {
    lines.remove_prefix(byte_order_mark.size());
  }
  std::size_t number = 0;
  for (const std::string_view line : text::split(lines, '\n')) {
    ++number;
    if (text::trim(line).empty()) {
      continue;
    }
    const Result<json::Document> document = json::Document::parse(std::string(line));
    if (!document) {
      return bad_line(number, without_line(document.error().message()));
    }
    if (!document->root().is_object()) {
      return bad_line(number, "not a JSON object");
    }
    if (const Result<void> used = use(*document, number); !used) {
      return used;
    }
  }
  return {};
}

// nullopt when it is no list, or one in it is not [server, tool].
std::optional<std::vector<ToolKey>> tool_keys(json::Value pairs) {
  if (!pairs.is_array()) {
    return std::nullopt;
  }
  std::vector<ToolKey> keys;
  for (const json::Value pair : pairs.elements()) {
    ToolKey key(pair.element(0).string_or(""), pair.element(1).string_or(""));
    if (key.first.empty() || key.second.empty()) {
      return std::nullopt;
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

// nullopt when a need has no tool, or one that is not there.
std::optional<std::vector<std::vector<ToolKey>>> needs_of(json::Value groups,
                                                          const std::vector<ToolKey>& relevant) {
  std::vector<std::vector<ToolKey>> needs;
  if (!groups && !relevant.empty()) {
    needs.push_back(relevant);
  }
  for (const json::Value group : groups.elements()) {
    std::vector<ToolKey>& need = needs.emplace_back();
    for (const json::Value position : group.elements()) {
      const std::int64_t index = position.as_int().value_or(-1);
      if (index < 0 || static_cast<std::size_t>(index) >= relevant.size()) {
        return std::nullopt;
      }
      need.push_back(relevant[static_cast<std::size_t>(index)]);
    }
  }
  const bool empty = std::ranges::any_of(needs, [](const auto& need) { return need.empty(); });
  return empty || needs.empty() != relevant.empty() ? std::nullopt
                                                    : std::optional(std::move(needs));
}

// The reason why it is none, with the line, otherwise.
Result<EvaluationQuery> query_of(json::Value line, std::size_t number) {
  EvaluationQuery query;
  query.query = line.find("query").string_or("");
  if (query.query.empty()) {
    return bad_line(number, R"("query" must be a text)");
  }
  const json::Value id = line.find("id");
  query.id = id ? std::string(id.raw()) : json::quoted(std::to_string(number));
  const std::optional<std::vector<ToolKey>> relevant = tool_keys(line.find("relevant"));
  if (!relevant) {
    return bad_line(number, R"("relevant" must list the right tools, each as ["server", "tool"])");
  }
  std::optional<std::vector<std::vector<ToolKey>>> needs = needs_of(line.find("groups"), *relevant);
  if (!needs) {
    return bad_line(number,
                    R"("groups" must be lists of positions in "relevant", from 0, none empty)");
  }
  query.needs = *std::move(needs);
  query.spells_name = line.find("leak").bool_or(false);
  return query;
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::optional<std::size_t> place_of(const std::vector<ToolKey>& ranked,
                                    const std::vector<ToolKey>& need) {
  const auto found = std::find_first_of(ranked.begin(), ranked.end(), need.begin(), need.end());
  return found == ranked.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - ranked.begin()));
}

std::string run_line(const EvaluationQuery& query,
                     const std::vector<ToolKey>& ranked,
                     std::size_t chars) {
  json::Writer out;
  out.begin_object().member_raw("id", query.id).key("ranked").begin_array();
  for (const auto& [server, tool] : ranked) {
    out.begin_array().string(server).string(tool).end_array();
  }
  return out.end_array().member("chars", chars).end_object().take() + "\n";
}

void add_query(EvaluationReport& report,
               const SearchableTools& tools,
               const EvaluationQuery& query) {
  tool::ToolRequest request;
  request.mode = tool::Mode::search;
  request.subject = query.query;
  request.limit = answer_tools;
  const tool::SearchHits found = tool::search_by_words(tools.ranker, request);
  std::vector<ToolKey> ranked;
  for (const search::Hit& hit : tools.ranker.rank(query.query).hits) {
    if (ranked.size() < evaluation_ranks) {
      const catalog::CatalogTool& tool = *tools.tools[hit.document];
      ranked.emplace_back(tool.server, tool.original);
    }
  }
  const std::size_t chars =
      characters(tool::search_page(tools, request, found).text().said_to(tool::Reader::model));
  report.run += run_line(query, ranked, chars);
  if (query.needs.empty()) {
    ++report.without_right_tool;
    return;
  }
  ++report.queries;
  std::vector<std::optional<std::size_t>> places;
  places.reserve(query.needs.size());
  for (const std::vector<ToolKey>& need : query.needs) {
    places.push_back(place_of(ranked, need));
  }
  const QueryScore score = score_places(places);
  report.recall_at_1 += score.recall_at_1;
  report.recall_at_5 += score.recall_at_5;
  report.recall_at_10 += score.recall_at_10;
  report.mrr += score.reciprocal_rank;
  report.ndcg_at_10 += score.ndcg_at_10;
  report.empty += ranked.empty() ? 1 : 0;
  report.tokens_5 += static_cast<double>(chars) / characters_per_token;
}

std::size_t count_unknown(const SearchableTools& tools,
                          const std::vector<EvaluationQuery>& queries) {
  std::set<ToolKey> known;
  for (const catalog::CatalogTool* tool : tools.tools) {
    known.emplace(tool->server, tool->original);
  }
  std::set<ToolKey> unknown;
  for (const EvaluationQuery& query : queries) {
    for (const std::vector<ToolKey>& need : query.needs) {
      std::ranges::copy_if(need, std::inserter(unknown, unknown.end()), [&known](const auto& key) {
        return !known.contains(key);
      });
    }
  }
  return unknown.size();
}

// The measures by name, in the order in which they are shown.
std::vector<std::pair<std::string_view, double>> measures(const EvaluationReport& report) {
  return {{"recall_at_1", report.recall_at_1},
          {"recall_at_5", report.recall_at_5},
          {"recall_at_10", report.recall_at_10},
          {"mrr", report.mrr},
          {"ndcg_at_10", report.ndcg_at_10},
          {"empty", report.empty},
          {"tokens_5", report.tokens_5}};
}

}  // namespace

Result<std::vector<EvaluationQuery>> parse_evaluation_queries(std::string_view lines) {
  std::vector<EvaluationQuery> queries;
  const Result<void> read =
      for_each_line(lines, [&](const json::Document& line, std::size_t number) -> Result<void> {
        Result<EvaluationQuery> query = query_of(line.root(), number);
        if (!query) {
          return fail(query.error());
        }
        queries.push_back(*std::move(query));
        return {};
      });
  if (!read) {
    return fail(read.error());
  }
  if (queries.empty()) {
    return fail(ErrorCode::invalid_argument, "it has no query");
  }
  return queries;
}

Result<void> fill_catalog(std::string_view lines, catalog::Catalog& catalog) {
  std::map<std::string, mcp::Listing> listings;
  std::vector<std::string> servers;
  Result<void> read =
      for_each_line(lines, [&](const json::Document& line, std::size_t number) -> Result<void> {
        mcp::Tool tool;
        tool.name = line.root().find("name").string_or("");
        const std::string server = line.root().find("server").string_or("");
        if (tool.name.empty() || server.empty()) {
          return bad_line(number, R"(a tool wants "server" and "name")");
        }
        tool.title = line.root().find("title").string_or("");
        tool.description = line.root().find("description").string_or("");
        tool.input_schema = line.share(line.root().find("inputSchema"));
        const auto [listing, added] = listings.try_emplace(server);
        if (added) {
          servers.push_back(server);
        }
        listing->second.tools.push_back(std::move(tool));
        return {};
      });
  if (!read) {
    return read;
  }
  for (const std::string& server : servers) {
    catalog.add_server(server, {});
    catalog.update(server, std::move(listings[server]), catalog::Knowledge::live);
  }
  return {};
}

EvaluationReport evaluate_search(const SearchableTools& tools,
                                 const std::vector<EvaluationQuery>& queries) {
  EvaluationReport report;
  report.unknown_tools = count_unknown(tools, queries);
  report.tools = tools.tools.size();
  for (const EvaluationQuery& query : queries) {
    add_query(report, tools, query);
  }
  const double count = std::max<double>(1, static_cast<double>(report.queries));
  for (double* sum : {&report.recall_at_1,
                      &report.recall_at_5,
                      &report.recall_at_10,
                      &report.mrr,
                      &report.ndcg_at_10,
                      &report.empty,
                      &report.tokens_5}) {
    *sum /= count;
  }
  return report;
}

std::string report_json(const EvaluationReport& report) {
  json::Writer out;
  out.begin_object().member("queries", report.queries).member("tools", report.tools);
  out.member("without_right_tool", report.without_right_tool);
  out.member("unknown_tools", report.unknown_tools);
  for (const auto& [name, value] : measures(report)) {
    out.key(name).number(value);
  }
  return out.end_object().take();
}

std::string report_text(const EvaluationReport& report) {
  constexpr std::size_t name_width = 14;
  std::string table =
      std::to_string(report.queries) + " queries over " + std::to_string(report.tools) + " tools\n";
  if (report.without_right_tool > 0) {
    table += std::to_string(report.without_right_tool) +
             " more for which no tool is right, not in the means\n";
  }
  if (report.unknown_tools > 0) {
    table += std::to_string(report.unknown_tools) +
             " of the right tools are not among them: is each the server's own name?\n";
  }
  table += "\n";
  for (const auto& [name, value] : measures(report)) {
    json::Writer number;
    // Four places behind the point are more than a few thousand queries can tell apart.
    number.number(std::round(value * 10'000) / 10'000);
    table += std::string(name) + std::string(name_width - name.size(), ' ') + number.text() + "\n";
  }
  return table;
}

}  // namespace bench
