#include "mcp/forwarded_request.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

rpc::Message message(const std::string& members) {
  return *rpc::Message::parse(R"({"jsonrpc":"2.0",)" + members + "}");
}

// "", or the code of the refusal.
std::string refusal(std::string_view method,
                    const std::string& params,
                    const ClientFeatures& features) {
  const rpc::Message request =
      message(R"("id":1,"method":")" + std::string(method) + R"(","params":)" + params);
  const std::optional<Refusal> refused = refusal_of(method, request.params(), features);
  return refused ? std::to_string(refused->code) : "";
}

TEST(ForwardedRequest, only_what_was_declared_is_forwarded) {
  const ClientFeatures none;
  EXPECT_EQ(refusal("elicitation/create", "{}", none), "-32601");
  EXPECT_EQ(refusal("sampling/createMessage", "{}", none), "-32601");
  EXPECT_EQ(refusal("roots/list", "{}", none), "-32601");
  ClientFeatures all;
  all.elicitation_form = all.elicitation_url = all.sampling = all.sampling_tools = all.roots = true;
  EXPECT_EQ(refusal("elicitation/create", "{}", all), "");
  EXPECT_EQ(refusal("elicitation/create", R"({"mode":"url"})", all), "");
  EXPECT_EQ(refusal("elicitation/create", R"({"mode":"mind"})", all), "-32602");
  EXPECT_EQ(refusal("sampling/createMessage", R"({"tools":[]})", all), "");
  EXPECT_EQ(refusal("roots/list", "{}", all), "");
  EXPECT_EQ(refusal("tools/list", "{}", all), "-32601") << "servers have no business with it";
}

TEST(ForwardedRequest, modes_and_tools_are_capabilities_of_their_own) {
  ClientFeatures form;
  form.elicitation_form = form.sampling = true;
  EXPECT_EQ(refusal("elicitation/create", R"({"mode":"form"})", form), "");
  EXPECT_EQ(refusal("elicitation/create", R"({"mode":"url"})", form), "-32602");
  EXPECT_EQ(refusal("sampling/createMessage", R"({"messages":[]})", form), "");
  EXPECT_EQ(refusal("sampling/createMessage", R"({"tools":[]})", form), "-32602");
  EXPECT_EQ(refusal("sampling/createMessage", R"({"toolChoice":{}})", form), "-32602");
  ClientFeatures url;
  url.elicitation_url = true;
  EXPECT_EQ(refusal("elicitation/create", "{}", url), "-32602");
}

std::string forwarded(std::string_view method,
                      const std::string& params,
                      AskerShown shown = AskerShown::in_text) {
  const Result<json::Document> document = json::Document::parse(params);
  return std::string(forwarded_params(method, document->root(), "s", shown).view());
}

TEST(ForwardedRequest, params_keep_their_bytes_and_name_the_server) {
  EXPECT_EQ(forwarded("roots/list", "{}"), R"({"_meta":{"pi-mcp/server":"s"}})");
  EXPECT_EQ(forwarded("x", R"({"maxTokens":1.50,"_meta":{"progressToken":3,"k":"\u00e9"}})"),
            R"({"_meta":{"pi-mcp/server":"s","k":"\u00e9"},"maxTokens":1.50})");
}

TEST(ForwardedRequest, the_user_reads_who_asks_and_then_the_words_of_the_server) {
  EXPECT_EQ(forwarded("elicitation/create", R"({"message":"Your \u00e9name?","mode":"url"})"),
            R"({"_meta":{"pi-mcp/server":"s"},"message":"s asks: Your \u00e9name?","mode":"url"})");
  EXPECT_EQ(forwarded("elicitation/create", "{}"),
            R"({"_meta":{"pi-mcp/server":"s"},"message":"s asks: "})");
  EXPECT_EQ(
      forwarded("sampling/createMessage", R"({"systemPrompt":"Be \"brief\".","maxTokens":1})"),
      R"({"_meta":{"pi-mcp/server":"s"},)"
      R"("systemPrompt":"This request comes from the MCP server \"s\".\n\nBe \"brief\".",)"
      R"("maxTokens":1})");
  EXPECT_EQ(forwarded("sampling/createMessage", R"({"maxTokens":1})"),
            R"({"_meta":{"pi-mcp/server":"s"},"maxTokens":1,)"
            R"("systemPrompt":"This request comes from the MCP server \"s\".\n\n"})");
}

TEST(ForwardedRequest, words_of_a_form_cannot_command_a_terminal) {
  EXPECT_EQ(
      forwarded(
          "elicitation/create",
          R"({"message":"\u001b[2JName?\n\t\u202e","requestedSchema":{"type":"object",)"
          R"("properties":{"a":{"type":"string","title":"T\u001b[31m","description":"\u0007D",)"
          R"("enum":["\u0007"],"enumNames":["\u0007x"],"minLength":1.0},)"
          R"("b":{"oneOf":[{"const":"\u0007","title":"\u0007B"}]}}}})",
          AskerShown::by_host),
      R"({"_meta":{"pi-mcp/server":"s"},"message":"Name?\n\t","requestedSchema":{"type":"object",)"
      R"("properties":{"a":{"type":"string","title":"T","description":" D",)"
      R"("enum":["\u0007"],"enumNames":[" x"],"minLength":1.0},)"
      R"("b":{"oneOf":[{"const":"\u0007","title":" B"}]}}}})");
  EXPECT_EQ(forwarded("elicitation/create", R"({"message":"\u0007"})", AskerShown::known),
            R"({"message":"\u0007"})");
}

TEST(ForwardedRequest, a_host_that_shows_the_server_itself_gets_its_words_alone) {
  EXPECT_EQ(forwarded("elicitation/create", R"({"message":"Name?"})", AskerShown::by_host),
            R"({"_meta":{"pi-mcp/server":"s"},"message":"Name?"})");
}

TEST(ForwardedRequest, answers_keep_their_bytes) {
  const auto id = rpc::Id::from_json(R"("a")");
  EXPECT_EQ(forwarded_answer(id, message(R"("id":9,"result":{"x":1.50})")).flat(),
            R"({"jsonrpc":"2.0","id":"a","result":{"x":1.50}})");
  EXPECT_EQ(
      forwarded_answer(id, message(R"("id":9,"error":{"code":-1,"message":"no","data":[1.0]})"))
          .flat(),
      R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"no","data":[1.0]}})");
}

TEST(ForwardedRequest, a_question_that_nobody_answers_in_time_is_cancelled) {
  const rpc::Id id(1);
  const Error late(ErrorCode::timed_out, "late");
  EXPECT_EQ(forwarded_failure(id, "elicitation/create", late).flat(),
            R"({"jsonrpc":"2.0","id":1,"result":{"action":"cancel"}})");
  EXPECT_EQ(forwarded_failure(id, "roots/list", late).flat(),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"late"}})");
}

}  // namespace
}  // namespace pi_mcp::mcp
