#include "schema/uri.h"

#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pi_mcp::schema {
namespace {

// The examples of RFC 3986 section 5.4.
TEST(SchemaUri, resolves_references_against_a_base) {
  constexpr std::string_view base = "http://a/b/c/d;p?q";
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"g/../h", "http://a/b/c/h"},
  };
  for (const auto& [reference, expected] : cases) {
    EXPECT_EQ(resolve_uri(base, reference), expected) << reference;
  }
}

TEST(SchemaUri, accepts_bases_that_are_no_uri) {
  EXPECT_EQ(resolve_uri("", "item.json"), "item.json");
  EXPECT_EQ(resolve_uri("my schema", "other one"), "other one");
  EXPECT_EQ(resolve_uri("http://host", "x"), "http://host/x");
  EXPECT_EQ(resolve_uri("urn:uuid:1", ""), "urn:uuid:1");
}

TEST(SchemaUri, splits_and_decodes_fragments) {
  EXPECT_EQ(split_fragment("a#b").document, "a");
  EXPECT_EQ(split_fragment("a#b").fragment, "b");
  EXPECT_EQ(split_fragment("a").fragment, "");
  EXPECT_EQ(ascii::percent_decoded("/a%25b%zz%4"), "/a%b%zz%4");
}

}  // namespace
}  // namespace pi_mcp::schema
