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

TEST(FactoredNames, names_without_a_prefix_and_other_names_stay_whole) {
  const catalog::CatalogTool log = tool("log", "log");
  const catalog::CatalogTool show = tool("show", "show");
  const catalog::CatalogTool renamed = tool("git_log_2", "log");
  EXPECT_EQ(factored_names({&log, &show, &renamed}), "log, show, git_log_2");
}

}  // namespace
}  // namespace pi_mcp::tool
