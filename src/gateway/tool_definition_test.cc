#include "gateway/tool_definition.h"

#include <gtest/gtest.h>

#include "gateway/tool_request.h"
#include "json/document.h"

namespace pi_mcp::gateway {
namespace {

json::Document parsed(std::string_view text) {
  Result<json::Document> document = json::Document::parse_view(text);
  EXPECT_TRUE(document.has_value());
  return document ? *std::move(document) : json::Document();
}

TEST(ToolDefinition, is_one_tool_named_mcp_inside_the_list_result) {
  const json::Document list = parsed(tools_list_result());
  const json::Value tools = list.root().find("tools");
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools.element(0).raw(), mcp_tool_definition());
  EXPECT_TRUE(tools.element(0).find("name").equals(mcp_tool_name()));
}

// 791 bytes are 197 tokens; a change of the bytes needs a new count (see tool_definition.cc).
TEST(CompatTool, row_02_definition_stays_small) {
  EXPECT_EQ(mcp_tool_definition().size(), 791U);
  EXPECT_LE(tools_list_result().size(), 850U);
}

TEST(ToolDefinition, teaches_every_mode) {
  const json::Document tool = parsed(mcp_tool_definition());
  const std::string text = tool.root().find("description").string_or("");
  for (const char* form : {"{} server status",
                           "{server}",
                           "{search:",
                           "{describe:",
                           "{connect:",
                           "{instructions:",
                           "{tool:"}) {
    EXPECT_NE(text.find(form), std::string::npos) << form;
  }
}

TEST(ToolDefinition, declares_exactly_the_parameters_that_requests_understand) {
  const json::Document tool = parsed(mcp_tool_definition());
  std::string names;
  for (const json::Member member : tool.root().at({"inputSchema", "properties"}).members()) {
    names += member.name() + " ";
  }
  EXPECT_EQ(names,
            "tool args connect describe search regex server includeSchemas limit offset "
            "instructions action ");
}

}  // namespace
}  // namespace pi_mcp::gateway
