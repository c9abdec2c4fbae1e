#include "servers/launch/npx_check.h"

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

TEST(NpxCheck, one_version_is_taken_whatever_it_is) {
  EXPECT_EQ(version_of_view(R"({"version":"3.0.1","dist-tags.latest":"3.0.1"})"), "3.0.1");
  EXPECT_EQ(version_of_view("{\"version\":\"4.0.0-beta.1\",\"dist-tags.latest\":\"3.0.1\"}\n"),
            "4.0.0-beta.1");
}

TEST(NpxCheck, of_several_versions_the_latest_is_taken_else_the_highest_release) {
  EXPECT_EQ(version_of_view(R"([{"version":"1.0.0","dist-tags.latest":"1.1.0"},
                                {"version":"1.1.0","dist-tags.latest":"1.1.0"},
                                {"version":"1.2.0","dist-tags.latest":"1.1.0"}])"),
            "1.1.0");
  EXPECT_EQ(version_of_view(R"([{"version":"1.0.0","dist-tags.latest":"2.0.0"},
                                {"version":"1.1.0","dist-tags.latest":"2.0.0"},
                                {"version":"1.2.0-rc.1","dist-tags.latest":"2.0.0"}])"),
            "1.1.0");
}

TEST(NpxCheck, anything_else_is_no_version) {
  for (const char* text : {"",
                           "[]",
                           "{}",
                           "npm error",
                           R"("1.2.3")",
                           R"({"error":{"code":"E404"}})",
                           R"({"version":"../../x"})",
                           R"({"version":"latest","dist-tags.latest":"latest"})"}) {
    EXPECT_EQ(version_of_view(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::servers
