#include "mcp/client_features.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

std::string passed_on(std::string_view capabilities) {
  const Result<json::Document> document = json::Document::parse_view(capabilities);
  return capabilities_json(read_client_features(document->root()));
}

TEST(ClientFeatures, what_a_host_declares_is_declared_to_its_servers) {
  EXPECT_EQ(passed_on("{}"), "{}");
  EXPECT_EQ(passed_on(R"({"elicitation":{}})"), R"({"elicitation":{}})");
  EXPECT_EQ(passed_on(R"({"elicitation":{"form":{}}})"), R"({"elicitation":{}})");
  EXPECT_EQ(passed_on(R"({"elicitation":{"url":{}}})"), R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(passed_on(R"({"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true},)"
                      R"("elicitation":{"url":{},"form":{}}})"),
            R"({"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},)"
            R"("sampling":{"tools":{},"context":{}}})");
}

TEST(ClientFeatures, what_is_not_passed_on_is_not_declared) {
  EXPECT_EQ(passed_on(R"({"tasks":{"list":{}},"experimental":{"x":{}},"sampling":{"other":{}}})"),
            R"({"sampling":{}})");
  EXPECT_EQ(passed_on(R"({"elicitation":7,"roots":true,"sampling":null})"), "{}");
}

}  // namespace
}  // namespace pi_mcp::mcp
