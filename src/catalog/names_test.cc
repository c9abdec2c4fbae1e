#include "catalog/names.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::catalog {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

// Cells of a table: a line each, separated by "|".
std::vector<std::vector<std::string>> table(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : text::split(text::trim(text), '\n')) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string_view cell : text::split(line, '|')) {
      row.emplace_back(text::trim(cell));
    }
  }
  return rows;
}

PrefixMode mode_of(const std::string& name) {
  const std::map<std::string, PrefixMode> modes = {{"server", PrefixMode::server},
                                                   {"short", PrefixMode::short_},
                                                   {"none", PrefixMode::none},
                                                   {"mcp", PrefixMode::mcp}};
  return modes.at(name);
}

// Expected values are those of the reference adapter from 2.25 on.
TEST(Names, displays_every_golden_of_the_reference_adapter) {
  for (const auto& row : table(R"(
    xcodebuild-mcp  | list_sims          | server | xcodebuild-mcp_list_sims
    xcodebuild-mcp  | list_sims          | short  | xcodebuild_list_sims
    xcodebuild-mcp  | list_sims          | none   | list_sims
    xcodebuild-mcp  | list_sims          | mcp    | mcp__xcodebuild-mcp_list_sims
    chrome-devtools | take_screenshot    | server | chrome-devtools_take_screenshot
    chrome-devtools | take_screenshot    | short  | chrome-devtools_take_screenshot
    chrome-devtools | take_screenshot    | none   | take_screenshot
    context7        | resolve-library-id | server | context7_resolve-library-id
    context7        | resolve-library-id | none   | resolve-library-id
    mcp             | x                  | server | mcp_x
    mcp             | x                  | short  | mcp_x
    mcp             | x                  | none   | x
    a b             | x                  | server | a_20_b_x
    búsqueda        | find               | server | b_fa_squeda_find
    github          | github_search      | server | github_search
    github          | github_search      | mcp    | mcp__github_github_search
    github          | github             | server | github_github
    my-server       | a.b                | server | my-server_a_b
    my-server       | a.b                | none   | a_b
    -mcp            | x                  | server | -mcp_x
    -mcp            | x                  | short  | mcp_x
    FooMCP          | x                  | short  | Foo_x
  )")) {
    EXPECT_EQ(displayed_name(row[0], row[1], mode_of(row[2])), row[3]);
  }
}

TEST(Names, control_characters_are_not_displayed) {
  EXPECT_EQ(displayed_name("s", "a\nb\tc\x1b[31m\u009b\x7f", PrefixMode::server), "s_a_b_c_[31m__");
  EXPECT_EQ(displayed_name("s", "\u65e5\u672c", PrefixMode::none), "\u65e5\u672c");
}

TEST(Names, an_empty_server_name_gives_no_prefix) {
  EXPECT_EQ(displayed_name("", "x", PrefixMode::server), "x");
  EXPECT_EQ(displayed_name("", "x", PrefixMode::short_), "mcp_x");
}

TEST(Names, a_server_name_with_broken_utf8_still_gives_a_usable_prefix) {
  EXPECT_EQ(prefix("a\xff", PrefixMode::server), "a_fffd_");
}

TEST(Names, resources_get_every_golden_base_name) {
  EXPECT_EQ(resource_base_name("My Resource!"), "my_resource");
  EXPECT_EQ(resource_base_name("123 abc"), "resource_123_abc");
  EXPECT_EQ(resource_base_name("__"), "resource");
  EXPECT_EQ(resource_base_name("日本"), "resource");
  EXPECT_EQ(resource_base_name("a--b"), "a_b");
  EXPECT_EQ(resource_base_name(""), "resource");
}

// The names that modes server, short and none showed before 2.25 come first.
TEST(Names, every_historic_spelling_is_accepted) {
  for (const auto& row : table(R"(
    xcodebuild-mcp  | list_sims          | tool     | xcodebuild_mcp_list_sims
    xcodebuild-mcp  | list_sims          | tool     | xcodebuild_list_sims
    xcodebuild-mcp  | list_sims          | tool     | list_sims
    xcodebuild-mcp  | list_sims          | tool     | xcodebuild-mcp_list_sims
    xcodebuild-mcp  | list_sims          | tool     | mcp__xcodebuild-mcp_list_sims
    xcodebuild-mcp  | list_sims          | tool     | mcp__xcodebuild-mcp__list_sims
    xcodebuild-mcp  | list_sims          | tool     | mcp__xcodebuild_mcp__list_sims
    chrome-devtools | take_screenshot    | tool     | chrome_devtools_take_screenshot
    chrome-devtools | take_screenshot    | tool     | chrome-devtools_take_screenshot
    context7        | resolve-library-id | tool     | context7_resolve-library-id
    context7        | resolve-library-id | tool     | context7_resolve_library_id
    context7        | resolve-library-id | tool     | resolve_library_id
    mcp             | x                  | tool     | mcp_x
    github          | github_search      | tool     | github_search
    github          | github_search      | tool     | github_github_search
    my-server       | a.b                | tool     | a.b
    my-server       | a.b                | tool     | a_b
    my-server       | a.b                | tool     | my_server_a.b
    my-server       | a.b                | tool     | my_server_a_b
    a b             | x                  | tool     | a b_x
    a b             | x                  | tool     | a_20_b_x
    my-server       | a.b                | tool     | my-server.a.b
    my-server       | a-b                | tool     | my_server/a_b
    res             | read_my_resource   | resource | res_read_my_resource
    res             | read_my_resource   | resource | res_get_my_resource
    res             | read_my_resource   | resource | get_my_resource
    res             | read_my_resource   | resource | read_my_resource
  )")) {
    EXPECT_THAT(accepted_spellings(row[0], row[1], row[2] == "resource"), Contains(row[3]));
  }
}

TEST(Names, spellings_have_no_duplicates) {
  EXPECT_THAT(accepted_spellings("a", "b", false),
              ElementsAre("b", "a_b", "mcp__a_b", "mcp__a__b", "a.b", "a/b"));
}

TEST(Names, a_tool_that_is_no_resource_has_no_get_spelling) {
  EXPECT_THAT(accepted_spellings("fs", "read_file", false), Not(Contains("get_file")));
}

TEST(Names, prefixes_cover_every_mode_and_the_folded_forms) {
  EXPECT_THAT(accepted_prefixes("x-mcp"),
              ElementsAre("x-mcp", "x_mcp", "x", "mcp__x-mcp", "mcp__x_mcp"));
}

TEST(Names, folding_replaces_hyphens_only) {
  EXPECT_EQ(folded("a-b.c_D"), "a_b.c_D");
}

TEST(Names, have_nothing_that_nobody_sees) {
  EXPECT_EQ(displayed_name("s", "a\u200bb\u200cc\u200dd\u2028e\U000e0100f", PrefixMode::none),
            "a_b_c_d_e_f");
}

}  // namespace
}  // namespace pi_mcp::catalog
