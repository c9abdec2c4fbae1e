#include "search_metrics.h"

#include <gtest/gtest.h>

namespace bench {
namespace {

TEST(Metrics, the_first_place_is_worth_everything) {
  const QueryScore score = score_places({0});
  EXPECT_EQ(score.recall_at_1, 1);
  EXPECT_EQ(score.recall_at_10, 1);
  EXPECT_EQ(score.reciprocal_rank, 1);
  EXPECT_EQ(score.ndcg_at_10, 1);
}

TEST(Metrics, a_need_that_is_not_met_counts_in_recall_and_gain_but_not_in_rank) {
  const QueryScore score = score_places({4, std::nullopt});
  EXPECT_EQ(score.recall_at_1, 0);
  EXPECT_EQ(score.recall_at_5, 0.5);
  EXPECT_EQ(score.reciprocal_rank, 0.2);
  EXPECT_NEAR(score.ndcg_at_10, 0.38685 / 1.63093, 1e-4);
}

TEST(Metrics, two_needs_that_one_tool_meets_gain_once) {
  EXPECT_NEAR(score_places({0, 0}).ndcg_at_10, 1 / 1.63093, 1e-4);
  EXPECT_EQ(score_places({0, 0}).recall_at_1, 1);
}

TEST(Metrics, places_behind_the_tenth_count_only_for_the_rank) {
  const QueryScore score = score_places({10});
  EXPECT_EQ(score.recall_at_10, 0);
  EXPECT_EQ(score.ndcg_at_10, 0);
  EXPECT_NEAR(score.reciprocal_rank, 1.0 / 11, 1e-9);
}

TEST(Metrics, nothing_met_and_nothing_needed_are_zero) {
  EXPECT_EQ(score_places({std::nullopt}).reciprocal_rank, 0);
  EXPECT_EQ(score_places({}).recall_at_5, 0);
}

}  // namespace
}  // namespace bench
