#include "cli/words/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

tool::ToolRequest request(const std::vector<std::string>& arguments) {
  const Result<CommandLine> line = CommandLine::parse(arguments);
  EXPECT_TRUE(line);
  Result<tool::ToolRequest> request = request_of(*line);
  EXPECT_TRUE(request) << request.error().message();
  return request ? *std::move(request) : tool::ToolRequest();
}

tool::Mode mode(const std::vector<std::string>& arguments) {
  return request(arguments).mode;
}

TEST(Request, every_command_asks_for_its_mode) {
  EXPECT_EQ(mode({"status"}), tool::Mode::status);
  EXPECT_EQ(mode({"list", "x"}), tool::Mode::list);
  EXPECT_EQ(mode({"list", "x", "--instructions"}), tool::Mode::instructions);
  EXPECT_EQ(mode({"search", "x"}), tool::Mode::search);
  EXPECT_EQ(mode({"describe", "x"}), tool::Mode::describe);
  EXPECT_EQ(mode({"read", "x:y"}), tool::Mode::read);
  EXPECT_EQ(mode({"call", "x"}), tool::Mode::call);
}

TEST(Request, a_search_has_all_its_words_and_options) {
  const tool::ToolRequest found = request({"search",
                                           "take",
                                           "shot",
                                           "--regex",
                                           "--no-schemas",
                                           "--server",
                                           "s",
                                           "--limit",
                                           "3",
                                           "--offset",
                                           "6"});
  EXPECT_EQ(found.subject, "take shot");
  EXPECT_EQ(found.server, "s");
  EXPECT_TRUE(found.regex);
  EXPECT_FALSE(found.include_schemas);
  EXPECT_EQ(found.limit, 3U);
  EXPECT_EQ(found.offset, 6U);
}

TEST(Request, a_list_has_no_limit_and_instructions_need_a_server) {
  EXPECT_GT(request({"list", "x"}).limit, 1'000'000U);
  const Result<CommandLine> line = CommandLine::parse({"list", "--instructions"});
  EXPECT_THAT(request_of(*line).error().message(), testing::HasSubstr("needs a server"));
}

TEST(Request, a_list_comes_in_pages_when_that_is_asked_for) {
  const tool::ToolRequest page = request({"list", "x", "--limit", "5", "--offset", "10"});
  EXPECT_EQ(page.limit, 5U);
  EXPECT_EQ(page.offset, 10U);
  EXPECT_FALSE(request_of(*CommandLine::parse({"list", "x", "--limit", "0"})));
}

TEST(Request, a_long_text_goes_on_where_it_was_cut) {
  EXPECT_EQ(request({"describe", "x", "--offset", "900"}).offset, 900U);
  EXPECT_EQ(request({"list", "x", "--instructions", "--offset", "900"}).offset, 900U);
  EXPECT_FALSE(request_of(*CommandLine::parse({"describe", "x", "--offset", "much"})));
}

TEST(Request, a_search_without_words_lists_the_server_that_it_names) {
  const tool::ToolRequest all = request({"search", "--server", "github"});
  EXPECT_EQ(all.mode, tool::Mode::search);
  EXPECT_EQ(all.server, "github");
  EXPECT_EQ(CommandLine::parse({"search"}).error().message(),
            "search needs more: pi-mcp search WORDS... See pi-mcp search --help");
}

TEST(Request, options_that_would_be_ignored_are_refused) {
  const auto refusal = [](const std::vector<std::string>& arguments) {
    const Result<CommandLine> line = CommandLine::parse(arguments);
    EXPECT_TRUE(line);
    const Result<tool::ToolRequest> request = request_of(*line);
    return request ? "" : request.error().message();
  };
  using testing::StartsWith;
  EXPECT_THAT(refusal({"search", "x", "--regex", "--explain"}), StartsWith("--explain shows"));
  EXPECT_THAT(refusal({"search", "--server", "s", "--explain"}), StartsWith("--explain shows"));
  EXPECT_THAT(refusal({"list", "s", "--instructions", "--limit", "3"}),
              StartsWith("--limit counts tools"));
}

TEST(Request, wrong_counts_are_refused) {
  EXPECT_FALSE(request_of(*CommandLine::parse({"search", "x", "--limit", "0"})));
  EXPECT_FALSE(request_of(*CommandLine::parse({"search", "x", "--offset", "-1"})));
}

}  // namespace
}  // namespace pi_mcp::cli
