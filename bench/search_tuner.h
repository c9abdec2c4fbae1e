// Chooses the numbers of the ranking, and tells how well that choice carries over to servers that
// had no part in it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "search/tuning.h"
#include "search_sets.h"

namespace bench {

// A number that can be tuned.
struct Knob {
  std::string_view name;
  double& (*of)(pi_mcp::search::Tuning&);
};
std::span<const Knob> knobs();

// Textbook weights: where tuning begins, so that nothing learnt from any query is in it.
pi_mcp::search::Tuning plain_tuning();
// The textbook's BM25F over the same fields and stems, without any technique of ours.
pi_mcp::search::Tuning textbook_bm25f();

struct TuningOptions {
  std::size_t folds = 3;
  std::size_t passes = 3;         // through all knobs
  std::size_t queries_max = 650;  // of each set, evenly chosen: what tuning looks at
  bool verbose = false;           // every step to stderr
};

// The fold that a query is reported with: that of the server of its first right tool.
std::size_t fold_of(const SearchSet& set, std::size_t query, std::size_t folds);

struct Validation {
  Outcome plain;      // of plain_tuning() on everything
  Outcome held_out;   // every query with the weights chosen without its servers
  Outcome unspelled;  // the same, of queries that do not spell a right tool's name
  Outcome shipped;    // the default weights, which were chosen on everything
};
// Folds of servers: the queries with a right tool on a server of a fold have no part in tuning for
// that fold, and those whose first right tool is there are reported with what the others chose.
Validation cross_validate(const std::vector<SearchSet>& sets, const TuningOptions& options);

// What all queries together choose: coordinate descent from plain_tuning(). A step is taken only
// for a gain that a few queries cannot make, so that most numbers stay round.
pi_mcp::search::Tuning tune_on_all(const std::vector<SearchSet>& sets,
                                   const TuningOptions& options);

}  // namespace bench
