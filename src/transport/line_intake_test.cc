#include "transport/line_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "transport/stderr_tail.h"

namespace pi_mcp::transport {
namespace {

using testing::HasSubstr;

constexpr std::size_t limit = 1000;

rpc::LineFramer::Line line_of(std::string text) {
  rpc::LineFramer::Line line;
  line.bytes = text.size();
  line.text = SharedText(std::move(text));
  return line;
}

rpc::LineFramer::Line oversized(std::string head, std::string tail) {
  rpc::LineFramer::Line line = line_of(std::move(head));
  line.oversized = true;
  line.tail = std::move(tail);
  line.bytes = 5'000'000;
  return line;
}

// What became of a line of a server: "ID: error message", "junk", the answer that goes back, or the
// kind of message it was.
std::string outcome(LineIntake& intake, const rpc::LineFramer::Line& line) {
  const LineIntake::Taken taken = intake.take(line, limit);
  if (taken.answer.bytes() > 0) {
    return "answer " + taken.answer.flat();
  }
  if (!taken.message) {
    return "junk";
  }
  if (taken.message->is_substitute()) {
    return taken.message->id().json() + ": " + taken.message->error().find("message").string_or("");
  }
  return "message";
}

std::string from_server(const std::string& text) {
  LineIntake intake(Peer::server, "demo");
  return outcome(intake, line_of(text));
}

TEST(LineIntake, messages_pass) {
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "message");
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","method":"notifications/x"})"), "message");
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"), "message");
}

TEST(LineIntake, a_broken_answer_fails_its_own_call) {
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","id":7,"result":{"content":[})").substr(0, 45),
            "7: demo sent a broken answer: not JSON: line ");
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","id":"a"})").substr(0, 31),
            "\"a\": demo sent a broken answer:");
  const std::string deep = R"({"jsonrpc":"2.0","id":7,"result":)" + std::string(5000, '[') +
                           std::string(5000, ']') + "}";
  EXPECT_EQ(from_server(deep).substr(0, 3), "7: ");
}

TEST(LineIntake, an_oversized_answer_fails_its_own_call) {
  LineIntake intake(Peer::server, "demo");
  EXPECT_EQ(
      outcome(intake, oversized(R"({"jsonrpc":"2.0","id":7,"result":{"text":"xxx)", "xxx\"}}")),
      "7: demo sent a broken answer: the message has 4.8MB, the limit is 1000B");
  EXPECT_EQ(
      outcome(intake, oversized(R"({"result":{"text":"xx)", R"(xx"},"jsonrpc":"2.0","id":8})")),
      "8: demo sent a broken answer: the message has 4.8MB, the limit is 1000B");
  EXPECT_EQ(outcome(intake, oversized("xxxx", "xxxx")), "junk");
  EXPECT_EQ(intake.counters().oversized_lines, 3U);
  EXPECT_EQ(intake.counters().junk_lines, 0U);
}

TEST(LineIntake, a_broken_request_is_answered) {
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{)").substr(0, 55),
            R"(answer {"jsonrpc":"2.0","id":7,"error":{"code":-32600,")");
}

TEST(LineIntake, what_a_server_prints_is_junk_even_when_it_is_json_with_an_id) {
  LineIntake intake(Peer::server, "demo");
  EXPECT_EQ(outcome(intake, line_of("Listening on port 8000")), "junk");
  EXPECT_EQ(outcome(intake, line_of(R"({"level":30,"id":7,"msg":"started"})")), "junk");
  EXPECT_EQ(outcome(intake, line_of("[1,2]")), "junk");
  EXPECT_EQ(intake.counters().junk_lines, 3U);
}

TEST(LineIntake, junk_is_logged_once_and_cannot_drive_a_terminal) {
  std::vector<std::string> logged;
  log::set_sink([&](log::Level, std::string_view text) { logged.emplace_back(text); });
  log::set_level(log::Level::debug);
  LineIntake intake(Peer::server, "demo");
  (void)intake.take(line_of("\x1b[31mready " + std::string(200, '.')), limit);
  (void)intake.take(line_of("again"), limit);
  log::set_level(log::Level::warning);
  log::set_sink(nullptr);
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_EQ(logged[0].substr(0, 70),
            "demo writes lines that are not messages, the first is: ready .........");
  EXPECT_LT(logged[0].size(), 160U);
}

TEST(LineIntake, a_host_is_told_what_could_not_be_read) {
  LineIntake intake(Peer::host, "the host");
  EXPECT_EQ(outcome(intake, line_of("hello")).substr(0, 58),
            R"(answer {"jsonrpc":"2.0","id":null,"error":{"code":-32700,")");
  EXPECT_EQ(outcome(intake, line_of(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])")),
            "message");  // what becomes of a batch depends on the revision
  EXPECT_EQ(outcome(intake, line_of("7")).substr(0, 58),
            R"(answer {"jsonrpc":"2.0","id":null,"error":{"code":-32600,")");
}

TEST(LineIntake, a_host_is_told_of_an_id_that_is_too_long_to_be_kept) {
  LineIntake intake(Peer::host, "the host");
  const auto request = [](std::size_t id_bytes) {
    return R"({"jsonrpc":"2.0","method":"ping","id":")" + std::string(id_bytes - 2, 'i') + "\"}";
  };
  EXPECT_EQ(outcome(intake, line_of(request(host_id_bytes_max))), "message");
  const std::string refused = outcome(intake, line_of(request(host_id_bytes_max + 1)));
  EXPECT_THAT(refused, HasSubstr(R"("id":"iiiiiii)"));
  EXPECT_THAT(refused, HasSubstr(R"("code":-32600,"message":"the id of a request has 229 bytes)"));
  EXPECT_THAT(outcome(intake, line_of("[" + request(host_id_bytes_max + 1) + "]")),
              HasSubstr(R"("id":null,"error":{"code":-32600,"message":"the id of a request has)"));
  EXPECT_EQ(from_server(R"({"jsonrpc":"2.0","result":{},"id":")" + std::string(500, 'i') + "\"}"),
            "message");
}

TEST(LineIntake, a_last_line_without_line_feed_counts_only_when_it_is_whole) {
  LineIntake intake(Peer::server, "demo");
  EXPECT_TRUE(intake.take_last(line_of(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
  EXPECT_FALSE(intake.take_last(line_of(R"({"jsonrpc":"2.0","id":1,"resu)")));
  EXPECT_EQ(intake.counters().junk_lines, 1U);
}

TEST(StderrTail, keeps_the_last_whole_lines) {
  StderrTail tail;
  EXPECT_EQ(tail.printable(), "");
  tail.add("first\n");
  EXPECT_EQ(tail.printable(), "first\n");
  for (int i = 0; i < 100'000; ++i) {
    tail.add("line " + std::to_string(i) + "\n");
  }
  const std::string kept = tail.printable();
  EXPECT_LE(kept.size(), StderrTail::kept_bytes);
  EXPECT_GT(kept.size(), StderrTail::kept_bytes - 100);
  EXPECT_EQ(kept.substr(0, 5), "line ");
  EXPECT_TRUE(kept.ends_with("line 99999\n"));
}

TEST(StderrTail, shows_one_endless_line_and_no_control_characters) {
  StderrTail tail;
  tail.add("\x1b[31mred\x1b[0m \xff");
  EXPECT_EQ(tail.printable(), "red \xEF\xBF\xBD");
  tail.add(std::string(100'000, 'x'));
  EXPECT_EQ(tail.printable(), std::string(StderrTail::kept_bytes, 'x'));
}

TEST(LineIntake, the_last_junk_is_kept_within_limits) {
  LineIntake intake(Peer::server, "demo");
  outcome(intake, line_of("Starting up"));
  outcome(intake, line_of("Exception in thread \"main\" a.B"));
  EXPECT_EQ(intake.junk(), "Starting up\nException in thread \"main\" a.B\n");
  for (int i = 0; i < 100; ++i) {
    outcome(intake, line_of(std::string(10'000, 'x')));
    ASSERT_LE(intake.junk().size(), 10'000U);
  }
}

}  // namespace
}  // namespace pi_mcp::transport
