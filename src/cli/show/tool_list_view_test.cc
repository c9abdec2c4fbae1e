#include "cli/show/tool_list_view.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

catalog::CatalogTool tool(const std::string& name, const std::string& description) {
  catalog::CatalogTool tool;
  tool.name = name;
  tool.description = description;
  return tool;
}

TEST(ToolListView, names_are_aligned_and_descriptions_are_one_line_cut_to_the_terminal) {
  const catalog::CatalogTool read =
      tool("files_read", "Reads\n  a \x1b[31mfile from the disk and gives all of it");
  const catalog::CatalogTool ls = tool("files_ls", "");
  const catalog::CatalogTool x = tool("files_" + std::string(50, 'x'), "Long");
  EXPECT_EQ(
      tool_list_view("files", {.total = 3, .tools = {&read, &ls, &x}, .next = {}}, Style(), 50),
      "files (3 tools)\n"
      "  files_read  Reads a file from the disk and give…\n"
      "  files_ls\n"
      "  files_" +
          std::string(50, 'x') + "  Long\n");
}

TEST(ToolListView, a_page_says_how_to_see_the_rest) {
  const catalog::CatalogTool ls = tool("files_ls", "");
  EXPECT_EQ(tool_list_view("files", {.total = 9, .tools = {&ls}, .next = 4}, Style(), 80),
            "files (9 tools)\n  files_ls\n\n1 of 9 \u2014 --offset 4 for more\n");
}

TEST(ToolListView, a_server_without_tools_is_one_line) {
  EXPECT_EQ(tool_list_view("files", {}, Style(), 80), "files (0 tools)\n");
}

}  // namespace
}  // namespace pi_mcp::cli
