#include "mcp/server/input_rounds.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

constexpr const char* params = R"({"name":"t","arguments":{"a":[1,{"b":null}]},"_meta":{"x":1}})";

bool is_same(std::string_view others) {
  const InputRounds rounds{SharedText(std::string(params))};
  return rounds.is_same_call(json::Document::parse_view(others)->root());
}

TEST(InputRounds, the_same_call_has_the_same_params_whatever_their_order_and_the_round) {
  EXPECT_TRUE(is_same(params));
  EXPECT_TRUE(is_same(R"({"arguments":{"a":[1.0,{"b":null}]},"name":"\u0074","requestState":"s",)"
                      R"("inputResponses":{}})"));
  EXPECT_FALSE(is_same(R"({"name":"t"})"));
  EXPECT_FALSE(is_same(R"({"name":"t","arguments":{"a":[{"b":null},1]}})"));
  EXPECT_FALSE(is_same(R"({"name":"t","arguments":{"a":[1,{"b":null}]},"task":{}})"));
  EXPECT_FALSE(is_same("[]"));
}

TEST(InputRounds, an_answer_that_does_not_fit_takes_none_of_the_others) {
  InputRounds rounds{SharedText(std::string(params))};
  rounds.ask(1, "elicitation/create", SharedText(std::string("{}")));
  rounds.ask(2, "roots/list", {});
  const auto take = [&rounds](std::string_view responses) {
    return rounds.take(json::Document::parse_view(responses)->root());
  };
  EXPECT_FALSE(take(R"({"1":{"action":"accept"},"2":{"roots":null}})").has_value());
  const auto taken = take(R"({"1":{"action":"accept"},"2":{"roots":[]},"3":{}})");
  ASSERT_TRUE(taken.has_value());
  ASSERT_EQ(taken->size(), 2U);
  EXPECT_EQ(taken->front().result.result().raw(), R"({"action":"accept"})");
  EXPECT_FALSE(rounds.has_questions());
  EXPECT_TRUE(take(R"({"1":{"action":"accept"}})")->empty()) << "nothing is asked any more";
}

TEST(InputRounds, counts_what_it_keeps) {
  InputRounds rounds{SharedText(std::string(params))};
  EXPECT_EQ(rounds.bytes(), 0U);
  rounds.ask(1, "roots/list", SharedText(std::string("{}")));
  rounds.keep(rpc::Outgoing("12345"));
  EXPECT_EQ(rounds.bytes(), 7U);
  EXPECT_TRUE(rounds.withdraw(1));
  EXPECT_FALSE(rounds.withdraw(1));
  (void)rounds.take_kept();
  EXPECT_EQ(rounds.bytes(), 0U);
}

}  // namespace
}  // namespace pi_mcp::mcp
