#include "mcp/unknown_tool.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

bool is_unknown(const std::string& rest) {
  const Result<rpc::Message> answer =
      rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,)" + rest + "}");
  EXPECT_TRUE(answer.has_value()) << rest;
  return answer && says_unknown_tool(*answer, "get_User");
}
bool is_unknown_error(const std::string& code, const std::string& message) {
  return is_unknown(R"("error":{"code":)" + code + R"(,"message":")" + message + "\"}");
}
bool is_unknown_result(const std::string& text, bool is_error = true) {
  return is_unknown(R"("result":{"content":[{"type":"text","text":")" + text + R"("}],"isError":)" +
                    (is_error ? "true}" : "false}"));
}

TEST(UnknownTool, is_said_by_every_sdk_in_its_own_way) {
  EXPECT_TRUE(is_unknown_result("Unknown tool: get_User")) << "Python, FastMCP";
  EXPECT_TRUE(is_unknown_result("MCP error -32602: Tool get_User not found")) << "TypeScript 1";
  EXPECT_TRUE(is_unknown_error("-32602", "Tool get_User not found")) << "TypeScript";
  EXPECT_TRUE(is_unknown_error("-32602", "unknown tool \\\"get_User\\\"")) << "Go";
  EXPECT_TRUE(is_unknown_error("-32602", "tool 'get_User' not found: tool not found")) << "mcp-go";
  EXPECT_TRUE(is_unknown_error("-32602", "tool not found")) << "Rust";
  EXPECT_TRUE(is_unknown_error("-32601", "Tool not found: get_User"));
}

TEST(UnknownTool, is_not_what_a_tool_says_of_other_things) {
  EXPECT_FALSE(is_unknown_result("Unknown tool: get_User", false));
  EXPECT_FALSE(is_unknown_result("user not found"));
  EXPECT_FALSE(is_unknown_result("tool not found: jq"));
  EXPECT_FALSE(is_unknown_error("-32602", "user not found"));
  EXPECT_FALSE(is_unknown_error("-32601", "Method not found"));
  EXPECT_FALSE(is_unknown_result("Unknown tool: get_User" + std::string(600, 'x')));
  EXPECT_FALSE(is_unknown(R"("result":{"isError":true})"));
}

}  // namespace
}  // namespace pi_mcp::mcp
