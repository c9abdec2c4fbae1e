#include "search_metrics.h"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr std::size_t gain_places = 10;

double gain_at(std::size_t place) {
  return 1 / std::log2(static_cast<double>(place) + 2);
}

double share_before(const std::vector<std::size_t>& places, std::size_t count, std::size_t needs) {
  const auto met =
      std::count_if(places.begin(), places.end(), [count](std::size_t p) { return p < count; });
  return static_cast<double>(met) / static_cast<double>(needs);
}

}  // namespace

QueryScore score_places(const std::vector<std::optional<std::size_t>>& need_places) {
  QueryScore score;
  const std::size_t needs = need_places.size();
  std::vector<std::size_t> places;
  for (const std::optional<std::size_t>& place : need_places) {
    if (place) {
      places.push_back(*place);
    }
  }
  if (places.empty()) {
    return score;
  }
  std::sort(places.begin(), places.end());
  score.recall_at_1 = share_before(places, 1, needs);
  score.recall_at_5 = share_before(places, 5, needs);
  score.recall_at_10 = share_before(places, gain_places, needs);
  score.reciprocal_rank = 1 / (static_cast<double>(places.front()) + 1);

  double best = 0;
  for (std::size_t place = 0; place < std::min(needs, gain_places); ++place) {
    best += gain_at(place);
  }
  places.erase(std::unique(places.begin(), places.end()), places.end());
  double gained = 0;
  for (const std::size_t place : places) {
    gained += place < gain_places ? gain_at(place) : 0;
  }
  score.ndcg_at_10 = gained / best;
  return score;
}

}  // namespace bench
