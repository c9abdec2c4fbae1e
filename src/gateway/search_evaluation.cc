#include "gateway/search_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.h"
#include "gateway/search_view.h"
#include "json/document.h"
#include "json/writer.h"
#include "search/metrics.h"

namespace pi_mcp::gateway {
namespace {

using ToolKey = EvaluationQuery::ToolKey;

constexpr std::size_t answer_tools = 5;
constexpr double characters_per_token = 4;

tl::unexpected<Error> bad_line(std::size_t line, const std::string& reason) {
  return fail(ErrorCode::invalid_argument, "line " + std::to_string(line) + ": " + reason);
}

// Calls `use` with every line's object and number (from 1) until one is wrong.
template <class Use>
Result<void> for_each_line(std::string_view lines, const Use& use) {
  std::size_t number = 0;
  for (const std::string_view line : text::split(lines, '\n')) {
    ++number;
    if (text::trim(line).empty()) {
      continue;
    }
    const Result<json::Document> document = json::Document::parse(std::string(line));
    if (!document) {
      return bad_line(number, document.error().message());
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

std::optional<std::vector<std::vector<ToolKey>>> needs_of(json::Value query) {
  std::vector<ToolKey> relevant;
  for (const json::Value pair : query.find("relevant").elements()) {
    relevant.emplace_back(pair.element(0).string_or(""), pair.element(1).string_or(""));
  }
  std::vector<std::vector<ToolKey>> needs;
  if (!query.find("groups") && !relevant.empty()) {
    needs.push_back(std::move(relevant));
    return needs;
  }
  for (const json::Value group : query.find("groups").elements()) {
    std::vector<ToolKey>& need = needs.emplace_back();
    for (const json::Value position : group.elements()) {
      const std::int64_t index = position.as_int().value_or(-1);
      if (index < 0 || static_cast<std::size_t>(index) >= relevant.size()) {
        return std::nullopt;
      }
      need.push_back(relevant[static_cast<std::size_t>(index)]);
    }
  }
  return needs;
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
  out.begin_object().member("id", query.id).key("ranked").begin_array();
  for (const auto& [server, tool] : ranked) {
    out.begin_array().string(server).string(tool).end_array();
  }
  return out.end_array().member("chars", chars).end_object().take() + "\n";
}

void add_query(EvaluationReport& report,
               const SearchableTools& tools,
               const EvaluationQuery& query) {
  ToolRequest request;
  request.has_search = true;
  request.search = query.query;
  request.limit = answer_tools;
  const SearchHits found = search_by_words(tools.ranker, request);
  std::vector<ToolKey> ranked;
  for (const search::Hit& hit : tools.ranker.rank(query.query).hits) {
    if (ranked.size() < evaluation_ranks) {
      const catalog::CatalogTool& tool = *tools.tools[hit.document];
      ranked.emplace_back(tool.server, tool.original);
    }
  }
  const std::size_t chars = characters(search_page(tools, request, found).text);
  std::vector<std::optional<std::size_t>> places;
  places.reserve(query.needs.size());
  for (const std::vector<ToolKey>& need : query.needs) {
    places.push_back(place_of(ranked, need));
  }
  const search::QueryScore score = search::score_places(places);
  report.recall_at_1 += score.recall_at_1;
  report.recall_at_5 += score.recall_at_5;
  report.recall_at_10 += score.recall_at_10;
  report.mrr += score.reciprocal_rank;
  report.ndcg_at_10 += score.ndcg_at_10;
  report.empty += ranked.empty() ? 1 : 0;
  report.tokens_5 += static_cast<double>(chars) / characters_per_token;
  report.run += run_line(query, ranked, chars);
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
        EvaluationQuery query;
        query.id = line.root().find("id").string_or(std::to_string(number));
        query.query = line.root().find("query").string_or("");
        std::optional<std::vector<std::vector<ToolKey>>> needs = needs_of(line.root());
        if (query.query.empty() || !needs || needs->empty()) {
          return bad_line(number,
                          R"(a query wants "query" and "relevant": [["server", "tool"]], and its )"
                          R"("groups" are positions in it)");
        }
        query.needs = *std::move(needs);
        query.spells_name = line.root().find("leak").bool_or(false);
        queries.push_back(std::move(query));
        return {};
      });
  if (!read) {
    return fail(read.error());
  }
  return queries;
}

Result<void> fill_catalog(std::string_view lines, catalog::Catalog& catalog) {
  std::map<std::string, mcp::Offer> offers;
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
        const auto [offer, added] = offers.try_emplace(server);
        if (added) {
          servers.push_back(server);
        }
        offer->second.tools.push_back(std::move(tool));
        return {};
      });
  if (!read) {
    return read;
  }
  for (const std::string& server : servers) {
    catalog.add_server(server, {});
    catalog.update(server, std::move(offers[server]), catalog::Knowledge::live);
  }
  return {};
}

EvaluationReport evaluate_search(const SearchableTools& tools,
                                 const std::vector<EvaluationQuery>& queries) {
  EvaluationReport report;
  report.queries = queries.size();
  report.tools = tools.tools.size();
  for (const EvaluationQuery& query : queries) {
    add_query(report, tools, query);
  }
  const double count = std::max<double>(1, static_cast<double>(queries.size()));
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
  for (const auto& [name, value] : measures(report)) {
    out.key(name).number(value);
  }
  return out.end_object().take();
}

std::string report_text(const EvaluationReport& report) {
  constexpr std::size_t name_width = 14;
  std::string text = std::to_string(report.queries) + " queries over " +
                     std::to_string(report.tools) + " tools\n\n";
  for (const auto& [name, value] : measures(report)) {
    json::Writer number;
    // Four places behind the point are more than a few thousand queries can tell apart.
    number.number(std::round(value * 10'000) / 10'000);
    text += std::string(name) + std::string(name_width - name.size(), ' ') + number.text() + "\n";
  }
  return text;
}

}  // namespace pi_mcp::gateway
