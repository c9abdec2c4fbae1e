// Measures the ranking with queries whose right tools are known (docs/search.md). Pure: text in,
// figures out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "mcp/types.h"
#include "registry/searchable_tools.h"

namespace bench {

// How many tools of a ranking are kept of each query.
constexpr std::size_t evaluation_ranks = 100;

struct EvaluationQuery {
  std::string id;  // as JSON; its line number when it has none
  std::string query;
  // A need is met by any one of its tools, each a server and the server's own name of the tool. No
  // need at all: no tool is right.
  using ToolKey = std::pair<std::string, std::string>;
  std::vector<std::vector<ToolKey>> needs;
  bool spells_name = false;  // it contains the name of a right tool
};

// One query a line: {"query", "relevant": [[server, tool]...], and optionally "id" (a string or a
// number), "groups": [[positions in relevant]...]}, a group for each need, and "leak", true when
// the query spells the name of a right tool. Without groups any relevant tool will do; an empty
// list of them says that no tool is right. Empty lines are skipped. invalid_argument names the
// line, or says that there is no query.
pi_mcp::Result<std::vector<EvaluationQuery>> parse_evaluation_queries(std::string_view lines);

// One tool a line: {"server", "name", "description", "inputSchema"}, and optionally "title". Fills
// an empty catalog with them, as tools of connected servers. invalid_argument names the line.
pi_mcp::Result<void> fill_catalog(std::string_view lines, pi_mcp::catalog::Catalog& catalog);

struct EvaluationReport {
  std::size_t queries = 0;  // those with a right tool
  // Queries for which no tool is right: ranked like the others, and in none of the means.
  std::size_t without_right_tool = 0;
  std::size_t tools = 0;
  // Right tools, of all queries, that are not among the ranked tools, and so can never be found.
  std::size_t unknown_tools = 0;
  // Means over the queries with a right tool.
  double recall_at_1 = 0;
  double recall_at_5 = 0;
  double recall_at_10 = 0;
  double mrr = 0;
  double ndcg_at_10 = 0;
  double empty = 0;     // share of queries without any hit
  double tokens_5 = 0;  // a quarter of the characters of an answer with five tools
  // {"id", "ranked": [[server, tool]...], "chars"}, one line a query, with a right tool or without.
  std::string run;
};

EvaluationReport evaluate_search(const pi_mcp::registry::SearchableTools& tools,
                                 const std::vector<EvaluationQuery>& queries);

// One JSON object with the fields above but `run`.
std::string report_json(const EvaluationReport& report);
// The same for a person, a line each.
std::string report_text(const EvaluationReport& report);

}  // namespace bench
