#include "config/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using ::testing::HasSubstr;

TEST(Toml, a_header_that_is_no_key_is_an_error_with_its_place) {
  for (const char* text : {"[}", "[[}]]", "[ ?]", "[a.}]", "a.} = 1", "[ л]", "a = л"}) {
    const auto read = toml_to_json(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message(), HasSubstr("line 1, column")) << text;
  }
}

TEST(Toml, every_kind_of_value_becomes_json) {
  const auto read = toml_to_json("a = 1\nb = 2.5\nc = [true, \"x\"]\n[t.u]\nd = 2026-01-02\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, R"({"a":1,"b":2.5,"c":[true,"x"],"t":{"u":{"d":"2026-01-02"}}})");
}

}  // namespace
}  // namespace pi_mcp::config
