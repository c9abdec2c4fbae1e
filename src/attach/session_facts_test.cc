#include "attach/session_facts.h"

#include <gtest/gtest.h>

namespace pi_mcp::attach {
namespace {

SessionFacts some_facts() {
  SessionFacts facts;
  facts.arguments = {"pi-mcp", "serve", "", "two words\n"};
  facts.folder = "/home/ann/p";
  facts.environment = {{"EMPTY", ""}, {"PATH", "/usr/bin"}, {"bytes", "\xff 3 \t"}};
  facts.traits.umask = 027;
  facts.traits.niceness = -5;
  facts.traits.limits.fill({.soft = 1024, .hard = ~std::uint64_t{0}});
  return facts;
}

TEST(SessionTextTest, comes_back_as_it_was) {
  const SessionFacts facts = some_facts();
  const auto read = parse_session_text(session_text(facts));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->arguments, facts.arguments);
  EXPECT_EQ(read->folder, facts.folder);
  EXPECT_EQ(read->environment, facts.environment);
  EXPECT_EQ(read->traits, facts.traits);
}

TEST(SessionTextTest, of_an_empty_session_comes_back_too) {
  EXPECT_TRUE(parse_session_text(session_text({})));
}

TEST(SessionTextTest, that_is_cut_anywhere_is_refused) {
  const std::string text = session_text(some_facts());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_session_text(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_session_text(text + "x"));
}

TEST(SessionTextTest, with_counts_that_are_not_true_takes_no_memory) {
  EXPECT_FALSE(parse_session_text("18446744073709551615 /"));
  EXPECT_FALSE(parse_session_text("1 /18446744073709551615 "));
  EXPECT_FALSE(parse_session_text("1 /-1 "));
  EXPECT_FALSE(parse_session_text("1 /99999999999999999999999 "));
  EXPECT_FALSE(parse_session_text("1 /0 4 1 a"));
}

}  // namespace
}  // namespace pi_mcp::attach
