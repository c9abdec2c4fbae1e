#include "search/spelled.h"

#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

Document get_user() {
  Document document;
  document.name = "my_users_getUser";
  document.original = "getUser";
  document.group = "my-users-mcp";
  return document;
}

TEST(SpelledName, says_how_exactly_a_name_is_spelled) {
  const Document document = get_user();
  const auto spelling = [&document](std::string_view query) {
    return SpelledName(query).spelling(document);
  };
  EXPECT_EQ(spelling(" my_users_getUser\n"), Spelling::shown);
  EXPECT_EQ(spelling("getUser"), Spelling::original);
  EXPECT_EQ(spelling("My-Users.get_user"), Spelling::shown_folded);
  EXPECT_EQ(spelling("get_user"), Spelling::original_folded);
  EXPECT_EQ(spelling("mcp__my-users-mcp__getUser"), Spelling::with_group);
  EXPECT_EQ(spelling("my-users-mcp:getUser"), Spelling::with_group);
  EXPECT_EQ(spelling("getuser"), Spelling::letters);
  EXPECT_EQ(spelling("mcpmyusersgetuser"), Spelling::letters);
  EXPECT_EQ(spelling("user"), Spelling::none);
  EXPECT_EQ(spelling("my-users-mcp"), Spelling::none);
  EXPECT_EQ(spelling("resuteg"), Spelling::none);
}

TEST(SpelledName, a_text_without_letters_or_of_a_page_is_no_name) {
  EXPECT_FALSE(SpelledName(" _-").may_be_name());
  EXPECT_FALSE(SpelledName(std::string(1000, 'x')).may_be_name());
  EXPECT_TRUE(SpelledName("x").may_be_name());
}

TEST(NameSums, find_a_document_by_every_spelling_of_its_name) {
  const Document document = get_user();
  NameSums sums;
  sums.add_group("other", {{.shown = letter_sum("a_b"), .original = letter_sum("b")}});
  sums.add_group(document.group, {NameSums::of(document)});
  for (const char* query : {"my_users_getUser",
                            "GETUSER",
                            "mcp__my-users-mcp__get_user",
                            "my-users-mcp/getUser",
                            "mcpmyusersgetuser"}) {
    EXPECT_EQ(sums.with(letter_sum(query)), std::vector<std::uint32_t>{1}) << query;
  }
  EXPECT_TRUE(sums.with(letter_sum("user")).empty());
}

}  // namespace
}  // namespace pi_mcp::search
