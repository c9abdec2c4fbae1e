// How well a ranked list answers a query whose right answers are known: recall, reciprocal rank,
// discounted gain. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace bench {

// Of one query. A need is met by any one of the tools that serve it; a query has one or more needs.
struct QueryScore {
  double recall_at_1 = 0;  // share of the needs that are met in the first so many places
  double recall_at_5 = 0;
  double recall_at_10 = 0;
  double reciprocal_rank = 0;  // 1 / the first place that meets a need; 0 when none does
  double ndcg_at_10 = 0;       // every need pays once, at its first place; two share none
};

// `need_places`: for each need the place (from 0) of the first tool that meets it, nullopt when the
// list has none. All zero for a query without needs.
QueryScore score_places(const std::vector<std::optional<std::size_t>>& need_places);

}  // namespace bench
