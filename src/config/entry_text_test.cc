#include "config/entry_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::HasSubstr;

constexpr std::string_view file =
    "{\n"
    "  // mine\n"
    "  \"mcpServers\": {\n"
    "    \"a\": {\n"
    "      \"command\": \"a\", // the old one\n"
    "\n"
    "      \"args\": [],\n"
    "    }, // behind\n"
    "    \"b\": { \"command\": \"b\" }\n"
    "  }\n"
    "}\n";
constexpr std::string_view a =
    "{\n"
    "  \"command\": \"a\", // the old one\n"
    "\n"
    "  \"args\": [],\n"
    "}";

TEST(EntryText, shows_one_entry_with_its_comments_as_if_it_stood_alone) {
  EXPECT_EQ(entry_text(file, "a").value(), a);
  EXPECT_EQ(entry_text(file, "b").value(), "{ \"command\": \"b\" }");
  EXPECT_EQ(entry_text(R"({"mcp-servers": {"x": {"url": "u"}}})", "x").value(), R"({"url": "u"})");
}

TEST(EntryText, puts_it_back_byte_for_byte) {
  EXPECT_EQ(with_entry_text(file, "a", a).value(), file);
  const std::string marked = "\xef\xbb\xbf" + std::string(file);
  EXPECT_EQ(entry_text(marked, "a").value(), a);
  EXPECT_EQ(with_entry_text(marked, "a", a).value(), marked);
}

TEST(EntryText, changes_nothing_around_the_entry) {
  const std::string changed =
      with_entry_text(file, "a", "// dropped\n{\n  \"command\": \"new\" // why\n}\n").value();
  EXPECT_THAT(changed,
              HasSubstr("    \"a\": {\n      \"command\": \"new\" // why\n    }, // behind\n"));
  EXPECT_THAT(changed, HasSubstr("  // mine\n"));
  EXPECT_THAT(with_entry_text(file, "b", "{}").value(), HasSubstr("    \"b\": {}\n  }\n"));
}

TEST(EntryText, what_is_not_one_object_is_refused_with_its_place_in_the_entry) {
  EXPECT_THAT(with_entry_text(file, "a", "{\n  \"command\": }").error().message(),
              HasSubstr("line 2, column 14"));
  EXPECT_FALSE(with_entry_text(file, "a", ""));
  EXPECT_FALSE(with_entry_text(file, "a", "{}, \"c\": {}"));
  EXPECT_THAT(with_entry_text(file, "a", "[]").error().message(),
              HasSubstr("must be one JSON object"));
  EXPECT_EQ(entry_text(file, "c").error().code(), ErrorCode::not_found);
  EXPECT_EQ(with_entry_text(file, "c", "{}").error().code(), ErrorCode::not_found);
}

}  // namespace
}  // namespace pi_mcp::config
