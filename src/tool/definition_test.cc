// The tools that hosts see of us: small, complete, and truthful in what they say of their effects.
#include "tool/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "tool/modes.h"
#include "tool/request.h"

namespace pi_mcp::tool {
namespace {

json::Document parsed(std::string text) {
  Result<json::Document> document = json::Document::parse(SharedText(std::move(text)));
  EXPECT_TRUE(document.has_value());
  return document ? *std::move(document) : json::Document();
}

std::size_t size_without_annotations(const json::Document& list) {
  std::size_t bytes = 0;
  for (const json::Value tool : list.root().find("tools").elements()) {
    bytes += tool.raw().find(R"(,"annotations")") + 1;
  }
  return bytes;
}

std::string hints(const ToolForm& form, std::size_t tool = 0) {
  const json::Document list = parsed(tools_list_result(form));
  const json::Value said = list.root().find("tools").element(tool).find("annotations");
  std::string text;
  for (const char* hint : {"readOnlyHint", "destructiveHint", "openWorldHint"}) {
    text += std::string(said.find(hint).raw()) + " ";
  }
  return text;
}

TEST(ToolDefinition, is_one_tool_named_mcp_inside_the_list_result) {
  const json::Document list = parsed(tools_list_result());
  const json::Value tools = list.root().find("tools");
  ASSERT_EQ(tools.size(), 1U);
  EXPECT_EQ(tools.element(0).raw(), own_tool_definitions({}));
  EXPECT_TRUE(tools.element(0).find("name").equals(mcp_tool_name()));
}

TEST(ToolDefinition, names_the_configured_servers_in_its_first_line) {
  const auto first_line = [](const ToolForm& form) {
    const json::Document list = parsed(tools_list_result(form));
    const std::string text = list.root().find("tools").element(0).find("description").string_or("");
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(first_line({}), "Use the user's MCP servers:");
  EXPECT_EQ(first_line({.servers = "git\"hub, files"}),
            "Use the user's MCP servers (git\"hub, files):");
  EXPECT_EQ(first_line({.servers = "files", .split = true}),
            "Use the user's MCP servers (files), only reading:");
}

// Claude Code defers tools and saves long results in files, unless a tool says otherwise.
TEST(ToolDefinition, tells_claude_to_load_it_and_to_show_what_the_output_guard_leaves) {
  const auto meta = [](const ToolForm& form, std::size_t tool) {
    const json::Document list = parsed(tools_list_result(form));
    return std::string(list.root().find("tools").element(tool).find("_meta").raw());
  };
  config::Settings settings;
  constexpr const char* usual =
      R"({"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":100000})";
  EXPECT_EQ(meta(tool_form(settings, render::HostKind::mcp), 0), usual);
  EXPECT_EQ(meta(tool_form(settings, render::HostKind::pi), 0), "");
  settings.split_tool = true;
  EXPECT_EQ(meta(tool_form(settings, render::HostKind::mcp), 1), usual);
  settings.output_guard.bytes_max = 1U << 20U;
  EXPECT_EQ(meta(tool_form(settings, render::HostKind::mcp), 0),
            R"({"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":500000})");
  settings.output_guard.enabled = false;
  EXPECT_EQ(meta(tool_form(settings, render::HostKind::mcp), 0),
            R"({"anthropic/alwaysLoad":true})");
}

// 843 bytes are 215 tokens, 856 and 309 are 296; a change of the bytes needs a new count (see
// tool_definition.cc).
TEST(CompatTool, row_02_definition_stays_small) {
  EXPECT_EQ(size_without_annotations(parsed(tools_list_result())), 843U);
  EXPECT_EQ(size_without_annotations(parsed(tools_list_result({.split = true}))), 856U + 309U);
}

TEST(ToolDefinition, teaches_every_mode) {
  for (const bool split : {false, true}) {
    const json::Document list = parsed(tools_list_result({.split = split}));
    const json::Value tool = list.root().find("tools").element(0);
    const std::string text = tool.find("description").string_or("");
    for (const char* form : {"{} server status",
                             "{server}",
                             "{search:",
                             "{read:",
                             "{describe:",
                             "{connect:",
                             "{instructions:",
                             "{tool:"}) {
      EXPECT_NE(text.find(form), std::string::npos) << form;
    }
  }
}

std::string parameters(const ToolForm& form, std::size_t tool) {
  const json::Document list = parsed(tools_list_result(form));
  std::string names;
  for (const json::Member member :
       list.root().find("tools").element(tool).at({"inputSchema", "properties"}).members()) {
    names += member.name() + " ";
  }
  return names;
}

// The parameters that select modes.
std::string keys_of_modes() {
  std::string keys;
  for (const ModeRow& row : modes()) {
    keys += row.key.empty() ? "" : std::string(row.key) + " ";
  }
  return keys;
}

TEST(ToolDefinition, declares_exactly_the_parameters_that_requests_understand) {
  const std::string reading = keys_of_modes() + "args regex includeSchemas limit offset ";
  EXPECT_EQ(parameters({}, 0), reading + "action ");
  EXPECT_EQ(parameters({.split = true}, 0), reading);
  EXPECT_EQ(parameters({.split = true}, 1), "tool args server action ");
}

TEST(ToolDefinition, a_split_has_a_tool_that_only_reads_and_one_that_may_do_anything) {
  const json::Document list = parsed(tools_list_result({.split = true}));
  const json::Value tools = list.root().find("tools");
  ASSERT_EQ(tools.size(), 2U);
  EXPECT_TRUE(tools.element(0).find("name").equals("mcp"));
  EXPECT_TRUE(tools.element(1).find("name").equals("mcp_write"));
  EXPECT_EQ(hints({.split = true}, 0), "true false true ");
  EXPECT_EQ(hints({.split = true}, 1), "false true true ");
}

TEST(ToolDefinition, says_of_itself_what_may_happen_without_a_question) {
  const auto said = [](std::optional<config::Selection> common,
                       std::optional<config::Selection> own) {
    config::Settings settings;
    settings.approve_tools = std::move(common);
    config::Server server;
    server.approve_tools = std::move(own);
    settings.servers.push_back(server);
    return hints(tool_form(settings, render::HostKind::mcp));
  };
  const config::Selection all{.all = true, .names = {}, .by_search = false};
  const config::Selection destructive{.all = false, .names = {"destructive"}, .by_search = false};
  const config::Selection marked{.all = false, .names = {"marked"}, .by_search = false};
  EXPECT_EQ(said({}, {}), "false true true ");
  EXPECT_EQ(said(marked, {}), "false true true ") << "a tool that says nothing may destroy";
  EXPECT_EQ(said(destructive, {}), "false false true ");
  EXPECT_EQ(said(destructive, all), "false false true ");
  EXPECT_EQ(said(all, {}), "false false false ");
  EXPECT_EQ(said(all, config::Selection{}), "false true true ") << "one server is not asked for";
}

}  // namespace
}  // namespace pi_mcp::tool
