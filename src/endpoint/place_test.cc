#include "endpoint/place.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

TEST(Place, names_what_there_is) {
  EXPECT_EQ(place_of("/mcp")->kind, Place::Kind::tool);
  EXPECT_EQ(place_of("/mcp/")->kind, Place::Kind::tool);
  EXPECT_EQ(place_of("/mcp?x=1")->kind, Place::Kind::tool);
  EXPECT_EQ(place_of("/healthz")->kind, Place::Kind::health);
  EXPECT_EQ(place_of("/readyz")->kind, Place::Kind::ready);
  EXPECT_EQ(place_of("/metrics")->kind, Place::Kind::metrics);
  for (const char* none : {"/",
                           "/mc",
                           "/mcpx",
                           "/servers",
                           "/servers/",
                           "/servers//mcp",
                           "/servers/mcp",
                           "/servers/a/other",
                           "*"}) {
    EXPECT_FALSE(place_of(none)) << none;
  }
}

TEST(Place, names_where_one_signs_in_for_an_endpoint) {
  for (const char* target : {"/.well-known/oauth-protected-resource",
                             "/.well-known/oauth-protected-resource/",
                             "/.well-known/oauth-protected-resource?x",
                             "/.well-known/oauth-protected-resource/mcp",
                             "/.well-known/oauth-protected-resource/servers/a/mcp"}) {
    ASSERT_TRUE(place_of(target)) << target;
    EXPECT_EQ(place_of(target)->kind, Place::Kind::sign_in) << target;
    EXPECT_FALSE(place_of(target)->is_mcp());
  }
  for (const char* none : {"/.well-known",
                           "/.well-known/oauth-protected-resourcemcp",
                           "/.well-known/oauth-protected-resource/metrics",
                           "/.well-known/oauth-protected-resource/servers/a"}) {
    EXPECT_FALSE(place_of(none)) << none;
  }
  const std::string prefix = "/.well-known/oauth-protected-resource";
  EXPECT_FALSE(place_of(prefix + prefix + "/mcp"));
  EXPECT_EQ(signed_into("/.well-known/oauth-protected-resource/mcp?x"), "/mcp?x");
  EXPECT_EQ(signed_into("/.well-known/oauth-protected-resource"), "");
}

TEST(Place, names_a_server_and_some_of_its_tools) {
  const auto place = place_of("/servers/my%20server+1/mcp?tools=a,b%2Cc,,d");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->kind, Place::Kind::server);
  EXPECT_EQ(place->server, "my server+1");
  EXPECT_EQ(place->tools, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(Place, has_a_key_of_its_own) {
  EXPECT_EQ(place_of("/mcp")->key(), place_of("/mcp/?a=b")->key());
  EXPECT_NE(place_of("/servers/a/mcp")->key(), place_of("/servers/b/mcp")->key());
  EXPECT_NE(place_of("/servers/a/mcp")->key(), place_of("/servers/a/mcp?tools=x")->key());
}

}  // namespace
}  // namespace pi_mcp::endpoint
