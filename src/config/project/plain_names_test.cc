#include "config/project/plain_names.h"

#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

TEST(PlainNames, count_where_the_path_leaves_the_folder) {
  const auto in_app = [](std::string_view path) {
    return has_plain_names(path, "/srv/My App");
  };
  EXPECT_TRUE(in_app("/srv/My App/.mcp.json"));
  EXPECT_TRUE(in_app("/srv/My App/.pi/npm/node_modules/@acme/tools/package.json"));
  EXPECT_TRUE(in_app("/srv/My App"));
  EXPECT_TRUE(in_app("/srv/.mcp.json")) << "above it";
  EXPECT_FALSE(in_app("/srv/My Apple/x.json"));
  EXPECT_FALSE(in_app("/srv/My App/.pi/now, run this/x.json"));
  EXPECT_FALSE(in_app("/srv/My App/please-run-curl-evil.example.json"));
  EXPECT_TRUE(has_plain_names("/opt/x.json", "/"));
  EXPECT_FALSE(has_plain_names("a b", ""));
}

}  // namespace
}  // namespace pi_mcp::config
