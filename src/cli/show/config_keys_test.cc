// What `pi-mcp config --keys` says of keys.
#include "cli/show/config_keys.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/keys.h"
#include "json/document.h"

namespace pi_mcp::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text(const std::vector<std::string>& names, std::size_t columns = 80) {
  return keys_text(names, Style(false), columns).value_or("(refused)");
}

TEST(ConfigKeys, every_key_is_there_with_its_type) {
  const std::string all = text({});
  for (const config::KeyScope scope :
       {config::KeyScope::root, config::KeyScope::server, config::KeyScope::settings}) {
    for (const config::Key& key : config::keys_of(scope)) {
      EXPECT_THAT(all,
                  HasSubstr("\n  " + std::string(key.name) + "  " +
                            std::string(config::type_name(key.type))));
    }
  }
}

TEST(ConfigKeys, what_a_project_may_do_with_a_key_is_said) {
  EXPECT_THAT(text({"trustedFolders"}), HasSubstr("a project may nothing"));
  EXPECT_THAT(text({"excludeTools"}), HasSubstr("a project may add to it"));
  EXPECT_THAT(text({"imports"}), Not(HasSubstr("a project may")));
}

TEST(ConfigKeys, a_key_that_is_only_kept_is_said_not_to_be_read) {
  EXPECT_THAT(text({"jev"}),
              AllOf(HasSubstr("not read by pi-mcp"), Not(HasSubstr("a project may"))));
}

TEST(ConfigKeys, a_name_of_two_scopes_is_shown_in_both) {
  EXPECT_THAT(text({"approveTools"}),
              AllOf(HasSubstr("Keys of a server\n"),
                    HasSubstr("Keys of settings\n"),
                    Not(HasSubstr("Keys of a file\n"))));
}

TEST(ConfigKeys, markdown_is_plain_text_and_lines_fit) {
  const std::string all = text({}, 60);
  EXPECT_THAT(all, AllOf(Not(HasSubstr("`")), Not(HasSubstr("]("))));
  std::size_t longest = 0;
  std::size_t at = 0;
  while (at < all.size()) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string_view line = std::string_view(all).substr(at, end - at);
    longest = line.starts_with("      ") && line.find(' ', 6) != std::string_view::npos
                  ? std::max(longest, columns_of(line))
                  : longest;
    at = end + 1;
  }
  EXPECT_LE(longest, 60U);
}

TEST(ConfigKeys, a_name_that_no_key_has_is_refused_with_the_nearest) {
  const Result<std::string> near = keys_text({"excludTools"}, Style(false), 80);
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code(), ErrorCode::not_found);
  EXPECT_THAT(near.error().message(), HasSubstr("did you mean \"excludeTools\"?"));
  EXPECT_THAT(keys_json({"zzzzzz\x1b"}).error().message(),
              AllOf(HasSubstr("config --keys shows all"), Not(HasSubstr("\x1b"))));
}

TEST(ConfigKeys, the_same_for_programs) {
  const Result<std::string> json = keys_json({"disabled", "jev"});
  ASSERT_TRUE(json);
  const Result<json::Document> document = json::Document::parse_view(*json);
  const json::Value keys = document->root().find("keys");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys.element(0).find("of").string_or(""), "server");
  EXPECT_EQ(keys.element(0).find("projectMay").string_or(""), "set true");
  EXPECT_TRUE(keys.element(0).find("read").bool_or(false));
  EXPECT_FALSE(keys.element(1).find("read").bool_or(true));
}

}  // namespace
}  // namespace pi_mcp::cli
