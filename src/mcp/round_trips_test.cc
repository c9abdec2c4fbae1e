#include "mcp/round_trips.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

using testing::HasSubstr;

rpc::Message answer(const std::string& result) {
  return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}").value();
}
const std::string question = R"({"c":{"method":"elicitation/create","params":{"message":"?"}}})";

std::string problem(const Result<std::vector<Question>>& questions) {
  return questions ? "none" : questions.error().message();
}

TEST(RoundTrips, repeat_the_call_with_the_answers_and_the_state_as_it_came) {
  RoundTrips trips(SharedText(std::string(R"({"name":"t","arguments":{"n":1.0}})")));
  const auto first = answer(R"({"inputRequests":)" + question + R"(,"requestState":"\u0041/b"})");
  const auto questions = trips.take(first);
  ASSERT_TRUE(questions);
  ASSERT_EQ(questions->size(), 1U);
  EXPECT_EQ(questions->at(0).method, "elicitation/create");
  EXPECT_EQ(questions->at(0).params.raw(), R"({"message":"?"})");
  EXPECT_EQ(trips.params({{.key = "c", .result = R"({"action":"accept"})"}}).view(),
            R"({"name":"t","arguments":{"n":1.0},"inputResponses":{"c":{"action":"accept"}},)"
            R"("requestState":"\u0041/b"})");
}

TEST(RoundTrips, invent_no_state_and_keep_none_of_an_earlier_round) {
  RoundTrips trips(SharedText(std::string(R"({"name":"t"})")));
  ASSERT_TRUE(trips.take(answer(R"({"requestState":"s"})")));
  EXPECT_EQ(trips.params({}).view(), R"({"name":"t","requestState":"s"})");
  ASSERT_TRUE(trips.take(answer(R"({"inputRequests":)" + question + "}")));
  EXPECT_EQ(trips.params({{.key = "c", .result = "{}"}}).view(),
            R"({"name":"t","inputResponses":{"c":{}}})");
}

TEST(RoundTrips, end_with_a_server_that_asks_nothing_or_never_stops) {
  RoundTrips trips{SharedText()};
  EXPECT_THAT(problem(trips.take(answer("{}"))), HasSubstr("does not say for which"));
  EXPECT_THAT(problem(trips.take(answer(R"({"inputRequests":{"a":7}})"))),
              HasSubstr("none of MCP"));
  const auto again = answer(R"({"requestState":"s"})");
  for (std::size_t i = 0; i < rounds_max; ++i) {
    EXPECT_EQ(problem(trips.take(again)), "none");
  }
  EXPECT_THAT(problem(trips.take(again)), HasSubstr("10 times"));
}

TEST(RoundTrips, have_a_limit_for_the_questions_of_a_round) {
  std::string many = R"({"inputRequests":{)";
  for (std::size_t i = 0; i <= questions_max; ++i) {
    many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"method":"roots/list"})";
  }
  RoundTrips trips{SharedText()};
  EXPECT_THAT(problem(trips.take(answer(many + "}}"))), HasSubstr("more than 32 questions"));
}

}  // namespace
}  // namespace pi_mcp::mcp
