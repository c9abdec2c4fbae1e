#include "rpc/message.h"

#include <gtest/gtest.h>

namespace pi_mcp::rpc {
namespace {

Message parsed(std::string line) {
  Result<Message> message = Message::parse(std::move(line));
  EXPECT_TRUE(message) << message.error().message();
  return message ? *std::move(message) : *Message::parse(std::string(R"({"method":"none"})"));
}

std::string refusal(std::string line) {
  const Result<Message> message = Message::parse(std::move(line));
  if (message) {
    return "accepted";
  }
  EXPECT_EQ(message.error().code(), ErrorCode::invalid_argument);
  return message.error().message();
}

TEST(Message, refuses_what_is_no_message_and_says_why) {
  EXPECT_EQ(refusal("Server listening"), "not JSON: line 1, column 1: expected a value");
  EXPECT_EQ(refusal("42"), "not a JSON-RPC message: expected an object, got number");
  EXPECT_EQ(refusal(R"([{"jsonrpc":"2.0","method":"x"}])"),
            "a batch of messages, which is not supported; send one message a line");
  EXPECT_EQ(refusal("{}"), "neither a method nor a result nor an error");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","id":1})"), "neither a method nor a result nor an error");
  EXPECT_EQ(refusal(R"({"jsonrpc":"1.0","id":1,"result":{}})"),
            R"(not JSON-RPC 2.0: "jsonrpc" must be "2.0")");
  EXPECT_EQ(refusal(R"({"jsonrpc":"2.0","result":{}})"), "a result without an id");
  for (const char* method : {"7", R"("")", "null"}) {
    EXPECT_EQ(refusal(R"({"method":)" + std::string(method) + "}"),
              "the method must be a string that is not empty");
  }
  for (const char* id : {"1.5", "true", "{}", "[1]", "null"}) {
    EXPECT_EQ(refusal(R"({"method":"x","id":)" + std::string(id) + "}"),
              "the id must be a string or an integer");
  }
}

TEST(Message, tells_the_four_kinds_apart) {
  const Message request = parsed(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}})");
  EXPECT_EQ(request.kind(), Message::Kind::request);
  EXPECT_EQ(request.id().json(), R"("a")");
  EXPECT_EQ(request.method(), "ping");
  EXPECT_EQ(request.params().raw(), R"({"x":1})");

  const Message notification = parsed(R"({"method":"notifications/initialized"})");
  EXPECT_EQ(notification.kind(), Message::Kind::notification);
  EXPECT_FALSE(notification.id().exists());

  const Message result = parsed(R"({"result":{"a":[1,2]},"jsonrpc":"2.0","id":3})");
  EXPECT_EQ(result.kind(), Message::Kind::result);
  EXPECT_EQ(result.result().raw(), R"({"a":[1,2]})");
  EXPECT_EQ(result.method(), "");

  const Message failure = parsed(R"({"id":3,"error":{"code":-32601,"message":"no"}})");
  EXPECT_EQ(failure.kind(), Message::Kind::failure);
  EXPECT_EQ(failure.error().find("code").as_int(), -32601);
}

TEST(Message, accepts_the_habits_of_older_json_rpc_servers) {
  EXPECT_EQ(parsed(R"({"id":1,"result":{},"error":null})").kind(), Message::Kind::result);
  EXPECT_EQ(parsed(R"({"id":1,"result":null,"error":{}})").kind(), Message::Kind::failure);
  EXPECT_EQ(parsed(R"({"id":1,"result":null})").kind(), Message::Kind::result);
  EXPECT_FALSE(parsed(R"({"id":null,"error":{"code":-32700}})").id().exists());
}

TEST(Message, keeps_the_type_and_text_of_an_id) {
  EXPECT_NE(parsed(R"({"id":"1","result":{}})").id(), parsed(R"({"id":1,"result":{}})").id());
  EXPECT_EQ(parsed(R"({"id":123456789012345678901234567890,"result":{}})").id().json(),
            "123456789012345678901234567890");
  EXPECT_EQ(parsed(R"({"id":-7,"result":{}})").id().number(), -7);
  EXPECT_EQ(parsed(R"({"id":7.0,"result":{}})").id().number(), 7);
  EXPECT_EQ(Id::from_json(R"("7")").number(), std::nullopt);
  EXPECT_EQ(Id::from_json("123456789012345678901234567890").number(), std::nullopt);
  EXPECT_EQ(Id().number(), std::nullopt);
}

TEST(Message, the_last_of_duplicate_members_counts) {
  const Message message = parsed(R"({"id":1,"method":"a","method":"b","id":2})");
  EXPECT_EQ(message.id(), Id(2));
  EXPECT_EQ(message.method(), "b");
}

TEST(Message, repairs_invalid_utf_8) {
  const Message message = parsed("{\"id\":1,\"result\":{\"t\":\"a\xff\xfe z\"}}");
  EXPECT_TRUE(message.repaired());
  EXPECT_EQ(message.result().find("t").as_string(), "a\xef\xbf\xbd\xef\xbf\xbd z");
  EXPECT_FALSE(parsed(R"({"id":1,"result":{"t":"é"}})").repaired());
  EXPECT_EQ(refusal("\xff"), "not JSON: line 1, column 1: expected a value");
}

TEST(Message, skips_a_byte_order_mark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF{\"method\":\"x\"}").method(), "x");
}

TEST(Message, values_survive_a_move_and_shared_parts_the_message) {
  SharedText part;
  {
    Message first = parsed(R"({"id":1,"result":{"content":[]}})");
    const Message second = std::move(first);
    EXPECT_EQ(second.result().raw(), R"({"content":[]})");
    part = second.share(second.result().find("content"));
  }
  EXPECT_EQ(part.view(), "[]");
}

TEST(Message, depth_is_limited) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  const Result<Message> message =
      Message::parse(R"({"id":1,"result":)" + deep + "}", {.depth_max = 64});
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().message(), "not JSON: line 1, column 81: nested deeper than 64 levels");
}

TEST(PartialId, finds_the_id_at_either_end_of_a_broken_answer) {
  EXPECT_EQ(partial_id(R"({"jsonrpc":"2.0","id":7,"result":{"x":NaN}})"), Id(7));
  EXPECT_EQ(partial_id(R"({"jsonrpc":"2.0","id":7,"result":{"x":"cut of)"), Id(7));
  EXPECT_EQ(partial_id(R"({"result":{"x":NaN},"jsonrpc":"2.0","id":7})"), Id(7));
  EXPECT_EQ(partial_id(R"(second half","id":5},"jsonrpc":"2.0","id":7} )"), Id(7));
  EXPECT_EQ(partial_id(R"({"result":{"x":")", R"(yz"},"jsonrpc":"2.0","id":"7"})").json(),
            R"("7")");
  EXPECT_EQ(partial_id(R"({"result":{"x":")", R"(yz"} , "id" : 7 , "jsonrpc" : "2.0" })"), Id(7));
}

TEST(PartialId, believes_no_id_of_something_else) {
  EXPECT_FALSE(
      partial_id(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":NaN}})").exists());
  EXPECT_FALSE(partial_id(R"({"result":{"id":7},"x":NaN})").exists());
  EXPECT_FALSE(partial_id(R"(  "result": {"a":1,"id":7})").exists());
  EXPECT_FALSE(partial_id(R"({"jsonrpc":"2.0","id":7)").exists()) << "may be the start of 71";
  EXPECT_FALSE(partial_id(R"({"jsonrpc":"2.0","id":1.5,"result":{"x":NaN}})").exists());
  EXPECT_FALSE(partial_id(R"({"jsonrpc":"2.0","id":"7\)").exists());
  for (const char* junk : {"",
                           "{",
                           "}",
                           "\"",
                           "{\"",
                           "{\"id\"",
                           "{\"id\":",
                           "}}",
                           ":}",
                           "\"}",
                           "{\"\\",
                           "hello id:7",
                           "7}"}) {
    EXPECT_FALSE(partial_id(junk).exists()) << junk;
  }
}

}  // namespace
}  // namespace pi_mcp::rpc
