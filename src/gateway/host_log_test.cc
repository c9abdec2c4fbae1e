#include "gateway/host_log.h"

#include <gtest/gtest.h>

namespace pi_mcp::gateway {
namespace {

std::string up(const HostLog& log, const std::string& params) {
  const Result<json::Document> document = json::Document::parse(params);
  const std::optional<rpc::Outgoing> out = log.of_server("github", document->root());
  return out ? out->flat() : "";
}

TEST(HostLog, names_the_server_as_logger_and_keeps_the_data) {
  const HostLog log;
  EXPECT_EQ(up(log, R"({"level":"error","data":{"a":1.0},"_meta":{}})"),
            R"({"jsonrpc":"2.0","method":"notifications/message",)"
            R"("params":{"level":"error","logger":"github","data":{"a":1.0},"_meta":{}}})");
  EXPECT_NE(up(log, R"({"level":"error","logger":"db","data":1})").find(R"("github/db")"),
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
  EXPECT_NE(up(HostLog(), R"({"level":"loud","data":1})").find(R"("level":"info")"),
            std::string::npos);
}

TEST(HostLog, knows_the_eight_levels) {
  EXPECT_EQ(parse_log_level("notice"), LogLevel::notice);
  EXPECT_EQ(parse_log_level("emergency"), LogLevel::emergency);
  EXPECT_EQ(parse_log_level("Notice"), std::nullopt);
  EXPECT_EQ(parse_log_level(""), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::gateway
