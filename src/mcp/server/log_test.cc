#include "mcp/server/log.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

std::string up(HostLog& log, const std::string& params, TimePoint now = TimePoint()) {
  const Result<json::Document> document = json::Document::parse(params);
  const std::optional<rpc::Outgoing> out = log.of_server("github", document->root(), now);
  return out ? out->flat() : "";
}

TEST(HostLog, names_the_server_as_logger_and_keeps_the_data) {
  HostLog log;
  EXPECT_EQ(up(log, R"({"level":"error","data":{"a":1.0},"_meta":{}})"),
            R"({"jsonrpc":"2.0","method":"notifications/message",)"
            R"("params":{"level":"error","logger":"github","data":{"a":1.0},"_meta":{}}})");
  EXPECT_NE(up(log, R"({"level":"error","logger":"db","data":1})").find(R"("github/db")"),
            std::string::npos);
}

TEST(HostLog, keeps_our_words_for_us) {
  HostLog log;
  EXPECT_EQ(up(log, R"({"level":"error","data":1,"_meta":{"pi-mcp/details":{},"b":1}})"),
            R"({"jsonrpc":"2.0","method":"notifications/message",)"
            R"("params":{"level":"error","logger":"github","data":1,"_meta":{"b":1}}})");
}

TEST(HostLog, a_note_of_ours_is_one_line) {
  const HostLog log;
  EXPECT_NE(log.of_us(LogLevel::error, "refused: a\nMCP: b")->flat().find("refused: a MCP: b"),
            std::string::npos);
}

TEST(HostLog, passes_info_and_above_until_the_host_sets_a_level) {
  HostLog log;
  EXPECT_EQ(up(log, R"({"level":"debug","data":1})"), "");
  EXPECT_NE(up(log, R"({"level":"info","data":1})"), "");
  log.set_level(LogLevel::debug);
  EXPECT_NE(up(log, R"({"level":"debug","data":1})"), "");
  log.set_level(LogLevel::error);
  EXPECT_EQ(up(log, R"({"level":"warning","data":1})"), "");
  EXPECT_NE(up(log, R"({"level":"emergency","data":1})"), "");
}

TEST(HostLog, takes_a_level_it_does_not_know_for_info) {
  HostLog log;
  EXPECT_NE(up(log, R"({"level":"loud","data":1})").find(R"("level":"info")"), std::string::npos);
}

TEST(HostLog, knows_the_eight_levels) {
  EXPECT_EQ(parse_log_level("notice"), LogLevel::notice);
  EXPECT_EQ(parse_log_level("emergency"), LogLevel::emergency);
  EXPECT_EQ(parse_log_level("Notice"), std::nullopt);
  EXPECT_EQ(parse_log_level(""), std::nullopt);
}

TEST(HostLog, a_flood_of_one_server_is_cut_and_counted_and_delays_no_other) {
  HostLog log;
  const std::string line = R"({"level":"error","data":"x"})";
  std::size_t passed = 0;
  for (int i = 0; i < 432; ++i) {
    passed += up(log, line).empty() ? 0U : 1U;
  }
  EXPECT_EQ(passed, log_rate.burst);
  const Result<json::Document> document = json::Document::parse(line);
  EXPECT_TRUE(log.of_server("other", document->root(), TimePoint()));
  ASSERT_TRUE(log.has_left_out());
  const std::vector<rpc::Outgoing> reports = log.left_out();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_NE(reports[0].flat().find(R"(412 messages of \"github\" were left out)"),
            std::string::npos)
      << reports[0].flat();
  EXPECT_FALSE(log.has_left_out());
  EXPECT_EQ(log.left_out().size(), 0U);
  EXPECT_NE(up(log, line, TimePoint() + log_rate.interval), "");
}

TEST(HostLog, what_is_below_the_level_uses_nothing_up) {
  HostLog log;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(up(log, R"({"level":"debug","data":"x"})"), "");
  }
  EXPECT_FALSE(log.has_left_out());
  EXPECT_NE(up(log, R"({"level":"error","data":"x"})"), "");
}

TEST(HostLog, notices_of_our_own_have_a_level_and_are_never_too_much) {
  HostLog log;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(log.of_us(LogLevel::info, "x").has_value());
  }
  EXPECT_EQ(log.of_us(LogLevel::error, "a\u202eb")->flat(),
            R"({"jsonrpc":"2.0","method":"notifications/message",)"
            R"("params":{"level":"error","logger":"pi-mcp","data":"ab"}})");
  log.set_level(LogLevel::warning);
  EXPECT_EQ(log.of_us(LogLevel::info, "x"), std::nullopt);
}

TEST(HostLog, a_text_of_a_server_cannot_turn_a_line_around) {
  HostLog log;
  EXPECT_NE(up(log, "{\"level\":\"error\",\"data\":\"a\u202eb\"}").find(R"("data":"ab")"),
            std::string::npos);
}

}  // namespace
}  // namespace pi_mcp::mcp
