#include "rpc/outgoing.h"

#include <gtest/gtest.h>

namespace pi_mcp::rpc {
namespace {

TEST(Outgoing, writes_the_four_kinds) {
  EXPECT_EQ(request(Id(7), "tools/call", SharedText(std::string(R"({"a":1})"))).flat(),
            R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":1}})");
  EXPECT_EQ(request(Id(8), "ping", SharedText()).flat(),
            R"({"jsonrpc":"2.0","id":8,"method":"ping"})");
  EXPECT_EQ(notification("notifications/initialized", {}).flat(),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(result(Id::from_json(R"("x")"), Outgoing("{}")).flat(),
            R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(failure(Id(1), error_code::method_not_found, "no \"x\"").flat(),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \"x\""}})");
  EXPECT_EQ(
      failure({}, error_code::parse_error, "bad", R"({"at":3})").flat(),
      R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad","data":{"at":3}}})");
}

TEST(Outgoing, shares_large_parts_and_copies_small_ones) {
  const SharedText large(std::string(Outgoing::shared_bytes_min, 'x'));
  const SharedText small(std::string(Outgoing::shared_bytes_min - 1, 'y'));
  Outgoing message("<");
  message.add(small);
  message.add(large);
  message.add(large.sub(0, 2));
  message.add(large);
  const std::vector<std::string_view> pieces = message.pieces();
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[0].size(), small.size() + 1);
  EXPECT_EQ(pieces[1].data(), large.view().data());
  EXPECT_EQ(pieces[2], "xx");
  EXPECT_EQ(pieces[3].data(), large.view().data());
  EXPECT_EQ(message.bytes(), message.flat().size());
}

TEST(Outgoing, keeps_the_order_when_one_message_is_added_to_another) {
  const SharedText large(std::string(Outgoing::shared_bytes_min, 'x'));
  Outgoing inner;
  inner.add(large);
  inner.add("b");
  Outgoing outer("a");
  outer.add(inner);
  outer.add("c");
  outer.add(inner);
  EXPECT_EQ(outer.flat(), "a" + std::string(large.view()) + "bc" + std::string(large.view()) + "b");
  EXPECT_EQ(outer.bytes(), outer.flat().size());
  EXPECT_EQ(outer.pieces()[1].data(), large.view().data());
}

TEST(Outgoing, an_empty_message_has_no_pieces) {
  EXPECT_TRUE(Outgoing().pieces().empty());
  EXPECT_EQ(Outgoing().bytes(), 0U);
}

std::string answered_by(const Outgoing& message) {
  std::string ids;
  message.for_each_answered([&ids](const Id& id) { ids += id.json() + " "; });
  return ids;
}

TEST(Outgoing, says_which_requests_it_answers) {
  EXPECT_EQ(answered_by(notification("x", {})), "");
  EXPECT_EQ(answered_by(failure({}, 1, "unreadable")), "");
  Outgoing batch("[");
  batch.add(result(Id(1), Outgoing("{}")));
  batch.add(failure(Id::from_json(R"("two")"), 1, "no"));
  batch.add(failure(Id(3), SharedText(std::string("{}"))));
  EXPECT_EQ(answered_by(batch), "1 \"two\" 3 ");
}

TEST(Outgoing, an_answer_may_answer_another_request_and_say_more) {
  const auto more = [](Outgoing answer) {
    answer.answer_instead(Id::from_json(R"("next")"));
    answer.add_to_result(R"("a":1)");
    EXPECT_EQ(answered_by(answer), "\"next\" ");
    EXPECT_EQ(answer.bytes(), answer.flat().size());
    return answer.flat();
  };
  EXPECT_EQ(more(result(Id(7), Outgoing("{}"))),
            R"({"jsonrpc":"2.0","id":"next","result":{"a":1}})");
  EXPECT_EQ(more(result(Id(7), Outgoing(R"({ "b":2})"))),
            R"({"jsonrpc":"2.0","id":"next","result":{"a":1, "b":2}})");
  EXPECT_EQ(more(result(Id(7), Outgoing("[]"))), R"({"jsonrpc":"2.0","id":"next","result":[]})");
  EXPECT_EQ(more(result({}, Outgoing("{}"))), R"({"jsonrpc":"2.0","id":"next","result":{"a":1}})");
  EXPECT_EQ(more(failure(Id(7), 1, "no")),
            R"({"jsonrpc":"2.0","id":"next","error":{"code":1,"message":"no"}})");
}

TEST(Outgoing, large_results_say_more_without_a_copy) {
  const std::string large(Outgoing::shared_bytes_min, 'x');
  const auto more = [](const Outgoing& part) {
    Outgoing answer = result(Id(7), part);
    answer.answer_instead(Id(1234));
    answer.add_to_result(R"("a":1)");
    EXPECT_EQ(answer.bytes(), answer.flat().size());
    return answer.flat();
  };
  Outgoing whole;
  whole.add(SharedText(R"({"b":")" + large + R"("})"));
  EXPECT_EQ(more(whole), R"({"jsonrpc":"2.0","id":1234,"result":{"a":1,"b":")" + large + R"("}})");
  Outgoing blank;
  blank.add(SharedText("{" + std::string(Outgoing::shared_bytes_min, ' ') + "}"));
  EXPECT_EQ(more(blank),
            R"({"jsonrpc":"2.0","id":1234,"result":{"a":1)" +
                std::string(Outgoing::shared_bytes_min, ' ') + "}}");
  Outgoing parts(R"({)");
  parts.add(SharedText(R"("b":")" + large + R"(")"));
  parts.add("}");
  EXPECT_EQ(more(parts), R"({"jsonrpc":"2.0","id":1234,"result":{"a":1,"b":")" + large + R"("}})");
}

std::string answer_to(const std::string& line) {
  return answer_to_unreadable(line, Message::parse(line).error()).flat();
}

TEST(Outgoing, an_unreadable_line_is_answered_unless_it_is_an_answer_itself) {
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":3,"method":"x","params":{"n":NaN}})"),
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32700,"message":)"
            R"("not JSON: line 1, column 52: expected a value"}})");
  EXPECT_EQ(
      answer_to(R"({"params":{"n":NaN},"method":"x","jsonrpc":"2.0","id":"3"})").substr(0, 26),
      R"({"jsonrpc":"2.0","id":"3",)");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"1.0","id":3,"method":"x"})"),
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":)"
            R"("not JSON-RPC 2.0: \"jsonrpc\" must be \"2.0\""}})");
  EXPECT_EQ(answer_to("[]").substr(0, 51),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,")");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":3,"result":{"n":NaN}})"), "");
}

}  // namespace
}  // namespace pi_mcp::rpc
