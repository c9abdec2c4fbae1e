#include "tool/tool_groups.h"

#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

catalog::CatalogTool tool(const std::string& name, const std::string& original) {
  catalog::CatalogTool made;
  made.name = name;
  made.original = original;
  return made;
}

TEST(FactoredNames, what_the_tools_of_a_server_begin_with_is_written_once) {
  const catalog::CatalogTool log = tool("git_log", "log");
  const catalog::CatalogTool read = tool("files_read", "read");
  const catalog::CatalogTool show = tool("git_show", "show");
  EXPECT_EQ(factored_names({&log, &read, &show}), "git_{log, show}, files_read");
  EXPECT_EQ(factored_names({&log}), "git_log");
  EXPECT_EQ(factored_names({}), "");
}

TEST(GroupTools, resources_come_behind_all_tools) {
  std::vector<catalog::CatalogTool> tools = {tool("r1", "read_a"),
                                             tool("t1", "list_a"),
                                             tool("r2", "read_b"),
                                             tool("t2", "read_file"),
                                             tool("r3", "x_y"),
                                             tool("t3", "list_b")};
  for (const std::size_t resource : {0UL, 2UL, 4UL}) {
    tools.at(resource).resource_uri = "a:b";
  }
  std::string order;
  for (const catalog::CatalogTool* each : in_order(group_tools(tools))) {
    order += each->name + " ";
  }
  EXPECT_EQ(order, "t1 t3 t2 r3 r1 r2 ");
}

TEST(FactoredNames, names_without_a_prefix_and_other_names_stay_whole) {
  const catalog::CatalogTool log = tool("log", "log");
  const catalog::CatalogTool show = tool("show", "show");
  const catalog::CatalogTool renamed = tool("git_log_2", "log");
  EXPECT_EQ(factored_names({&log, &show, &renamed}), "log, show, git_log_2");
}

}  // namespace
}  // namespace pi_mcp::tool
