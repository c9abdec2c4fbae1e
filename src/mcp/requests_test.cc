#include "mcp/requests.h"

#include <gtest/gtest.h>

#include "rpc/message.h"

namespace pi_mcp::mcp {
namespace {

std::string with_progress(const std::string& params) {
  const std::string text =
      request(7, "m", SharedText(params), {.progress = Progress::wanted, .envelope = ""}).flat();
  const std::string head = R"({"jsonrpc":"2.0","id":7,"method":"m","params":)";
  EXPECT_EQ(text.substr(0, head.size()), head);
  return text.substr(head.size(), text.size() - head.size() - 1);
}

TEST(Request, carries_params_as_they_are) {
  EXPECT_EQ(request(7, "tools/call", SharedText(std::string(R"({ "a":1.0 })")), {}).flat(),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{ "a":1.0 }})");
  EXPECT_EQ(request(7, "tools/list", SharedText(), {}).flat(),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})");
}

TEST(Request, gets_a_progress_token_of_our_own) {
  EXPECT_EQ(with_progress(""), R"({"_meta":{"progressToken":7}})");
  EXPECT_EQ(with_progress("{}"), R"({"_meta":{"progressToken":7}})");
  EXPECT_EQ(with_progress("{ \n }"), R"({"_meta":{"progressToken":7}})");
  EXPECT_EQ(with_progress(R"({ "name":"x","arguments":{"n":1.0}})"),
            R"({"_meta":{"progressToken":7},"name":"x","arguments":{"n":1.0}})");
}

TEST(Request, keeps_other_meta_members_and_drops_a_token_of_another_hop) {
  EXPECT_EQ(with_progress(R"({"name":"x","_meta":{"progressToken":"host","trace":1e5}})"),
            R"({"_meta":{"progressToken":7,"trace":1e5},"name":"x"})");
  EXPECT_EQ(with_progress(R"({"arguments":{"_meta":1}})"),
            R"({"_meta":{"progressToken":7},"arguments":{"_meta":1}})");
  EXPECT_EQ(with_progress(R"({"_meta":null,"a":1})"), R"({"_meta":{"progressToken":7},"a":1})");
}

TEST(Request, does_not_copy_large_params) {
  const SharedText params(R"({"text":")" + std::string(10'000, 'x') + R"("})");
  const rpc::Outgoing message =
      request(7, "m", params, {.progress = Progress::wanted, .envelope = ""});
  ASSERT_EQ(message.pieces().size(), 3U);
  EXPECT_EQ(message.pieces()[1].data(), params.view().data() + 1);
}

TEST(Request, takes_params_in_pieces) {
  const SharedText large(std::string(5000, ' '));
  rpc::Outgoing params(R"({"a":)");
  params.add(SharedText(std::string("1")));
  params.add(large);
  params.add("}");
  const rpc::Outgoing sent = request(7, "m", params, {});
  EXPECT_EQ(
      sent.flat(),
      R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"a":1)" + std::string(large.view()) + "}}");
  EXPECT_EQ(sent.pieces().at(1).data(), large.view().data()) << "not copied";
  EXPECT_EQ(request(7, "m", params, {.progress = Progress::wanted, .envelope = ""}).flat(),
            R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"_meta":{"progressToken":7},"a":1)" +
                std::string(large.view()) + "}}");
}

TEST(Request, of_2026_07_28_says_who_asks) {
  const auto params_of = [](const std::string& params, Progress progress) {
    const RequestMeta meta{.progress = progress, .envelope = R"("io.modelcontextprotocol/x":1)"};
    const auto message = rpc::Message::parse(request(7, "m", SharedText(params), meta).flat());
    return std::string(message->params().raw());
  };
  EXPECT_EQ(params_of("", Progress::unwanted), R"({"_meta":{"io.modelcontextprotocol/x":1}})");
  EXPECT_EQ(params_of(R"({"a":1})", Progress::wanted),
            R"({"_meta":{"progressToken":7,"io.modelcontextprotocol/x":1},"a":1})");
  EXPECT_EQ(
      params_of(R"({"_meta":{"io.modelcontextprotocol/y":2,"t":3},"a":1})", Progress::unwanted),
      R"({"_meta":{"io.modelcontextprotocol/x":1,"t":3},"a":1})")
      << "what the host said of itself is not for the server";
}

TEST(Request, is_cancelled_with_a_reason) {
  EXPECT_EQ(cancelled(7, "no time").flat(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
            R"("params":{"requestId":7,"reason":"no time"}})");
}

// A trace goes through every hop; tokens and what the protocol says are of one.
TEST(PassedMeta, is_everything_but_what_belongs_to_one_hop) {
  const auto passed = [](const char* params) {
    return passed_meta(json::Document::parse_view(params)->root());
  };
  EXPECT_EQ(passed(R"({"_meta":{"progressToken":1,"traceparent":"00-1","v/x":{"a": 1e2},)"
                   R"("io.modelcontextprotocol/clientInfo":{}}})"),
            R"("traceparent":"00-1","v/x":{"a": 1e2})");
  EXPECT_EQ(passed(R"({"_meta":{"progressToken":1}})"), "");
  EXPECT_EQ(passed(R"({"_meta":7})"), "");
  EXPECT_EQ(passed("{}"), "");
}

}  // namespace
}  // namespace pi_mcp::mcp
