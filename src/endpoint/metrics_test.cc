#include "endpoint/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, are_counted_by_what_became_of_them) {
  Metrics metrics;
  metrics.count_request(200, Milliseconds(3));
  metrics.count_request(200, Milliseconds(40'000));
  metrics.count_request(404, Milliseconds(1));
  metrics.count_answer("tools/call", 0, Milliseconds(30));
  metrics.count_answer("tools/call", -32602, Milliseconds(2));
  const std::string text =
      metrics.text({.connections = 3, .sessions = 2, .calls = 1, .servers = 4});
  EXPECT_THAT(text, Not(HasSubstr("pi_mcp_store")));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_requests_total{status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_requests_total{status=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_request_seconds_bucket{le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_request_seconds_bucket{le=\"0.005\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_request_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_http_request_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_answers_total{method=\"tools/call\",code=\"-32602\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("\npi_mcp_answer_seconds_bucket{method=\"tools/call\",le=\"0.05\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\n# TYPE pi_mcp_sessions gauge\npi_mcp_sessions 2\n"));
}

TEST(Metrics, of_a_replica_say_how_it_reaches_the_others) {
  Metrics metrics;
  metrics.count_over_rate();
  Metrics::Gauges gauges;
  gauges.replica = {.forwarded = {.answered = 5, .gone = 1, .misplaced = 2, .failed = 3},
                    .has_store = true,
                    .is_store_up = false,
                    .store_waiting = 7};
  const std::string text = metrics.text(gauges);
  EXPECT_THAT(text, HasSubstr("\npi_mcp_over_rate_total 1\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_forwarded_total{outcome=\"answered\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_forwarded_total{outcome=\"failed\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_store_up 0\n"));
  EXPECT_THAT(text, HasSubstr("\npi_mcp_store_waiting 7\n"));
}

}  // namespace
}  // namespace pi_mcp::endpoint
