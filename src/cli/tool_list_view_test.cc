#include "cli/tool_list_view.h"

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
  const std::string view = tool_list_view(
      "files",
      {tool("files_read", "Reads\n  a \x1b[31mfile from the disk and gives all of it"),
       tool("files_ls", ""),
       tool("files_" + std::string(50, 'x'), "Long")},
      Style(),
      50);
  EXPECT_EQ(view,
            "files (3 tools)\n"
            "  files_read  Reads a file from the disk and give…\n"
            "  files_ls\n"
            "  files_" +
                std::string(50, 'x') + "  Long\n");
}

TEST(ToolListView, a_server_without_tools_is_one_line) {
  EXPECT_EQ(tool_list_view("files", {}, Style(), 80), "files (0 tools)\n");
}

}  // namespace
}  // namespace pi_mcp::cli
