#include "tool/sharing/carried_answer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

rpc::Message arrived(const Answer& answer, std::string_view text) {
  return *rpc::Message::parse(rpc::result(rpc::Id(1), carry_answer(answer, text)).flat());
}

TEST(CarriedAnswer, a_failure_keeps_its_text_code_and_details) {
  const Answer sent = Reply(Mode::call, Failure::not_found, "tool_not_found", "there is no \"x\"")
                          .with("tool", "x")
                          .with_json("near", R"(["y","z"])")
                          .take();
  const Result<Answer> taken =
      take_carried(Mode::call, arrived(sent, text_of(sent, Reader::shell)));
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_EQ(taken->failure, Failure::not_found);
  EXPECT_EQ(taken->code, "tool_not_found");
  EXPECT_EQ(text_of(*taken, Reader::shell), "there is no \"x\"");
  EXPECT_EQ(details_of(*taken, Reader::shell), details_of(sent, Reader::shell));
}

TEST(CarriedAnswer, a_servers_result_arrives_byte_by_byte) {
  Answer sent = Reply(Mode::call, "").take();
  // What looks like an answer of ours in a server's result is the server's.
  const std::string result =
      R"({"content":[ {"type":"text","text":"é\n"}],"_meta":{"pi-mcp/answer":{"failure":3}}})";
  sent.passed = SharedText(result);
  sent.failure = Failure::tool_error;
  sent.error_data = SharedText(std::string(R"({"why":1})"));
  const Result<Answer> taken = take_carried(Mode::call, arrived(sent, ""));
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_EQ(taken->passed.view(), result);
  EXPECT_EQ(taken->error_data.view(), R"({"why":1})");
  EXPECT_EQ(taken->failure, Failure::tool_error);
}

TEST(CarriedAnswer, anything_else_is_none) {
  for (const char* const result : {R"({"content":[]})",
                                   R"({"content":[],"_meta":{"pi-mcp/answer":{}}})",
                                   R"({"_meta":{"pi-mcp/answer":{"failure":1,"details":2}}})"}) {
    const rpc::Message message =
        *rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(result) + "}");
    EXPECT_FALSE(take_carried(Mode::call, message)) << result;
  }
}

TEST(CarriedAnswer, a_phase_is_told_as_what_it_is) {
  std::vector<std::string> told;
  CallContext context;
  take_phase(context, json::Document::parse_view(R"({"what":"x"})")->root());  // nobody listens
  context.on_phase = [&told](std::string_view what) {
    told.push_back("phase " + std::string(what));
  };
  context.on_asked = [&told](std::string_view what) {
    told.push_back("asked " + std::string(what));
  };
  const SharedText starting = carry_phase("7", "starting \"a\"", false);
  const SharedText calling = carry_phase("7", "calling b", true);
  take_phase(context, json::Document::parse(starting)->root());
  take_phase(context, json::Document::parse(calling)->root());
  EXPECT_EQ(told, (std::vector<std::string>{"phase starting \"a\"", "asked calling b"}));
  EXPECT_EQ(json::Document::parse(calling)->root().find("progressToken").as_int(), 7);
}

}  // namespace
}  // namespace pi_mcp::tool
