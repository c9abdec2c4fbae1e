#include "host/declarations.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::host {
namespace {

std::optional<transport::Declaration> said(const std::string& method, const std::string& params) {
  return declaration_of(*rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                                             R"(","params":)" + params + "}"));
}

TEST(Declarations, what_counts_for_the_session_is_kept) {
  EXPECT_EQ(said("initialize", "{}")->key, "initialize");
  EXPECT_EQ(said("logging/setLevel", R"({"level":"info"})")->key, "logging/setLevel");
  const auto call = [](const std::string& tool, const std::string& action) {
    return said("tools/call",
                R"({"name":")" + tool + R"(","arguments":{"action":")" + action + R"("}})");
  };
  EXPECT_EQ(call("mcp_manage", "register")->key, "mcp_manage register");
  EXPECT_EQ(call("mcp_manage", "session")->key, "mcp_manage session");
  EXPECT_FALSE(call("mcp_manage", "enable")) << "is in a file";
  EXPECT_FALSE(call("mcp", "register"));
  EXPECT_FALSE(said("tools/list", "{}"));
  EXPECT_EQ(declaration_of(
                *rpc::Message::parse(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"))
                ->key,
            "notifications/initialized");
  EXPECT_FALSE(declaration_of(
      *rpc::Message::parse(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})")));
  EXPECT_FALSE(declaration_of(*rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":{}})")));
}

TEST(Declarations, the_end_of_a_subscription_ends_what_was_kept) {
  const auto begun = said("resources/subscribe", R"({"uri":"a://b"})");
  const auto ended = said("resources/unsubscribe", R"({"uri":"a://b"})");
  EXPECT_FALSE(begun->ends_it);
  EXPECT_TRUE(ended->ends_it);
  EXPECT_EQ(begun->key, ended->key);
  EXPECT_NE(begun->key, said("resources/subscribe", R"({"uri":"a://c"})")->key);
}

}  // namespace
}  // namespace pi_mcp::host
