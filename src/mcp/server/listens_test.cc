#include "mcp/server/listens.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

std::string fault(const std::string& notifications) {
  const auto filter = read_listen_filter(json::Document::parse_view(notifications)->root());
  return filter ? "" : filter.error();
}

TEST(Listens, a_filter_that_is_none_is_refused_and_unknown_kinds_are_ignored) {
  EXPECT_NE(fault("[]"), "");
  EXPECT_NE(fault(R"({"resourceSubscriptions":{}})"), "");
  EXPECT_NE(fault(R"({"resourceSubscriptions":[1]})"), "");
  EXPECT_EQ(fault(R"({"toolsListChanged":"yes","taskIds":["a"]})"), "");
  std::string many = R"({"resourceSubscriptions":["a:0")";
  for (std::size_t i = 1; i < listened_uris_max; ++i) {
    many += ",\"a:" + std::to_string(i) + "\"";
  }
  EXPECT_EQ(fault(many + "]}"), "");
  EXPECT_NE(fault(many + ",\"a:more\"]}"), "");
}

TEST(Listens, parts_of_a_resource_are_behind_a_separator) {
  EXPECT_TRUE(is_resource_or_part("a://x", "a://x"));
  EXPECT_TRUE(is_resource_or_part("a://x/y", "a://x"));
  EXPECT_TRUE(is_resource_or_part("a://x#y", "a://x"));
  EXPECT_TRUE(is_resource_or_part("a://x/y", "a://x/"));
  EXPECT_FALSE(is_resource_or_part("a://xy", "a://x"));
  EXPECT_FALSE(is_resource_or_part("a://x", "a://x/y"));
}

TEST(Listens, keep_the_kind_of_the_id_they_tell_under) {
  Listens listens;
  listens.open(rpc::Id::from_json(R"("1")"), {.tools = true, .uris = {}});
  listens.open(rpc::Id(1), {.tools = true, .uris = {}});
  EXPECT_TRUE(listens.has(rpc::Id(1)));
  EXPECT_TRUE(listens.close(rpc::Id(1)).has_value());
  EXPECT_FALSE(listens.close(rpc::Id(1)).has_value());
  const auto told = listens.tell("notifications/tools/list_changed", {}, "");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().message.flat(),
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":)"
            R"({"io.modelcontextprotocol/subscriptionId":"1"}}})");
  EXPECT_EQ(listens.end().size(), 1U);
  EXPECT_EQ(listens.size(), 0U);
}

}  // namespace
}  // namespace pi_mcp::mcp
