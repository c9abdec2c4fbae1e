// What tools say of themselves is read once and never mixed up.
#include "tool/tool_hints.h"

#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

TEST(HintMemo, gives_each_text_its_own_hints_beyond_its_size) {
  HintMemo memo;
  for (int i = 0; i < 3000; ++i) {
    const bool reads = i % 2 == 0;
    const SharedText text(std::string(reads ? R"({"readOnlyHint":true,"n":)" : R"({"n":)") +
                          std::to_string(i) + "}");
    EXPECT_EQ(memo.hints(text).reads_only, reads);
    EXPECT_EQ(memo.hints(text).reads_only, reads) << "from the memo";
  }
  EXPECT_FALSE(memo.hints({}).reads_only);
  EXPECT_TRUE(memo.hints({}).may_destroy);
}

TEST(ToolHints, a_resource_only_reads) {
  catalog::CatalogTool tool;
  EXPECT_FALSE(hints_of(tool).reads_only);
  tool.resource_uri = "x://doc";
  EXPECT_TRUE(hints_of(tool).reads_only);
  EXPECT_FALSE(hints_of(tool).may_destroy);
}

}  // namespace
}  // namespace pi_mcp::tool
