#include "cli/show/build_facts.h"

#include <array>

#include <gmock/gmock.h>

namespace pi_mcp::cli {
namespace {

constexpr std::array libraries = {LinkedLibrary{"re2", "2022+1", "BSD-3-Clause"}};
constexpr BuildFacts facts = {.version = "1.2.3",
                              .commit = "0123456789abcdef-changed",
                              .date = "2026-01-31",
                              .type = "release",
                              .linking = "static",
                              .arch = "arm64",
                              .libraries = libraries};

TEST(BuildFacts, a_line_begins_with_name_and_version) {
  EXPECT_EQ(version_line(facts), "pi-mcp 1.2.3 (0123456789ab, 2026-01-31)\n");
  BuildFacts outside = facts;
  outside.commit = "unknown";
  outside.date = "";
  EXPECT_EQ(version_line(outside), "pi-mcp 1.2.3\n");
}

TEST(BuildFacts, json_has_all_of_them) {
  EXPECT_EQ(version_details(facts),
            R"({"version":"1.2.3","commit":"0123456789abcdef-changed","date":"2026-01-31",)"
            R"("arch":"arm64","build":{"type":"release","linking":"static"},)"
            R"("libraries":[{"name":"re2","version":"2022+1","licence":"BSD-3-Clause"}]})"
            "\n");
}

}  // namespace
}  // namespace pi_mcp::cli
