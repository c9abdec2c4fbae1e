// The query sets that the ranking is measured with, and what a tuning scores on them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "catalog/catalog.h"
#include "registry/search_document.h"
#include "search/document.h"
#include "search/tuning.h"
#include "search_evaluation.h"

namespace bench {

// One catalog and the queries over it.
struct SearchSet {
  std::string name;  // of its folder
  std::shared_ptr<pi_mcp::catalog::Catalog> catalog;
  // One for each document, which has its texts from there and from the catalog.
  std::vector<std::unique_ptr<pi_mcp::registry::DocumentReader>> readers;
  std::vector<pi_mcp::search::Document> documents;
  std::vector<pi_mcp::SharedText> schemas;  // of their parameters
  std::vector<EvaluationQuery> queries;     // those with a right tool
  std::vector<EvaluationQuery> without_right_tool;
  // By query and need: the documents that meet it.
  std::vector<std::vector<std::vector<std::size_t>>> needs;
  std::size_t servers = 0;
  // By query: the numbers of the servers that have a right tool; never empty.
  std::vector<std::vector<std::size_t>> right_servers;
};

// Every folder below `folder` with a queries.jsonl and, in it or in `folder`, a catalog.jsonl (the
// formats of search_evaluation.h), by name. invalid_argument when there is none, or a line is
// wrong.
pi_mcp::Result<std::vector<SearchSet>> read_search_sets(const std::filesystem::path& folder);

// Of one query.
struct Outcome {
  double recall_at_1 = 0;
  double recall_at_5 = 0;
  double recall_at_10 = 0;
  double mrr = 0;
  double empty = 0;
  double low = 0;  // said to match nothing well
};
// By set and query.
using Outcomes = std::vector<std::vector<Outcome>>;
// Whether a query has a part: of a set and a query by number.
using Counts = std::function<bool(std::size_t, std::size_t)>;
// Of the queries that count; the others stay 0.
Outcomes outcomes(const std::vector<SearchSet>& sets,
                  const pi_mcp::search::Tuning& tuning,
                  const Counts& counts);

// The share of its queries without a right tool that are said to match nothing well.
double low_without_right_tool(const SearchSet& set);

// The mean over the queries of each set that count, then over the sets.
Outcome mean(const Outcomes& all, const Counts& counts);

}  // namespace bench
