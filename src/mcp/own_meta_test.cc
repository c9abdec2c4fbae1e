#include "mcp/own_meta.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

// "" when it passes as it is.
std::string cleaned(std::string json) {
  const Result<json::Document> document = json::Document::parse(std::move(json));
  EXPECT_TRUE(document);
  return without_own_meta(document->root()).value_or("");
}

TEST(OwnMeta, a_result_without_it_is_not_touched) {
  EXPECT_EQ(cleaned(R"({"content":[{"type":"text","text":"pi-mcp/details"}],"_meta":{"a":1}})"),
            "");
  EXPECT_EQ(cleaned(R"({"structuredContent":{"_meta":{"pi-mcp/details":1}}})"), "")
      << "that is data";
  EXPECT_EQ(cleaned("5"), "");
}

TEST(OwnMeta, is_left_out_wherever_a_result_has_it) {
  EXPECT_EQ(cleaned(R"({"_meta":{"pi-mcp/details":{"mode":"status"},"a":1},"isError":false})"),
            R"({"_meta":{"a":1},"isError":false})");
  EXPECT_EQ(cleaned(R"({"_meta":{"pi-mcp\/server":"x"}})"), R"({"_meta":{}})");
  EXPECT_EQ(cleaned(R"({"content":[{"type":"text","_meta":{"pi-mcp/x":1},"text":"a"},5,)"
                    R"({"type":"resource","resource":{"uri":"u","_meta":{"pi-mcp/x":1,"b":2}}}]})"),
            R"({"content":[{"type":"text","_meta":{},"text":"a"},5,)"
            R"({"type":"resource","resource":{"uri":"u","_meta":{"b":2}}}]})");
  EXPECT_EQ(cleaned(R"({"contents":[{"uri":"u","_meta":{"pi-mcp/x":1}}]})"),
            R"({"contents":[{"uri":"u","_meta":{}}]})");
  EXPECT_EQ(cleaned(R"({"messages":[{"role":"user","content":{"_meta":{"pi-mcp/x":1}}}]})"),
            R"({"messages":[{"role":"user","content":{"_meta":{}}}]})");
}

}  // namespace
}  // namespace pi_mcp::mcp
