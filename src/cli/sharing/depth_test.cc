#include "cli/sharing/depth.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(Depth, IsNoneWithoutAWordOfOurs) {
  EXPECT_EQ(depth_of({}), 0);
  EXPECT_EQ(depth_of({{"PI_MCP_DEPTH", ""}}), 0);
  EXPECT_EQ(depth_of({{"PI_MCP_DEPTH", "12"}}), 0);
  EXPECT_EQ(depth_of({{"PI_MCP_DEPTH", "x"}}), 0);
  EXPECT_EQ(depth_of({{"PI_MCP_DEPTH", "2"}}), 2);
}

TEST(Depth, GrowsToItsLimit) {
  Variables variables{{"HOME", "/h"}};
  for (const char* expected : {"1", "2", "3", "3"}) {
    go_deeper(variables);
    EXPECT_EQ(variables.at("PI_MCP_DEPTH"), expected);
  }
  EXPECT_EQ(depth_of(variables), depth_max);
}

}  // namespace
}  // namespace pi_mcp::cli
