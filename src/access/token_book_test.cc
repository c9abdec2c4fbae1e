#include "access/token_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"

namespace pi_mcp::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string token = token_text(std::string(token_random_bytes, '\xFB'));

TokenRecord record(const std::string& name, std::string_view text = token) {
  return record_of(text,
                   {.name = name,
                    .id = {},
                    .servers = {"github", "jira"},
                    .tools = {"get_*"},
                    .expires = EpochMs{9}},
                   EpochMs{5});
}

std::string with(std::string_view text, const TokenRecord& added) {
  const Result<std::string> changed = add_token(text, added);
  EXPECT_TRUE(changed);
  return changed.value_or("");
}

std::string problem_of(const std::string& tokens) {
  const TokenBook book = TokenBook::parse(R"({"tokens":)" + tokens + "}");
  EXPECT_THAT(book.records(), IsEmpty());
  return book.problem();
}

TEST(TokenBook, has_what_was_put_into_it_and_never_the_token) {
  EXPECT_EQ(token, "pimcp_-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s");
  const std::string text = with("", record("ci"));
  EXPECT_THAT(text, Not(HasSubstr(token.substr(0, 20))));
  const TokenBook book = TokenBook::parse(text);
  EXPECT_EQ(book.problem(), "");
  ASSERT_THAT(book.records(), SizeIs(1));
  const TokenRecord& read = book.records().front();
  EXPECT_EQ(read.principal->name, "ci");
  EXPECT_EQ(read.principal->id, sha256_hex(token).substr(0, 16));
  EXPECT_EQ(read.principal->id, record("ci").principal->id);
  EXPECT_THAT(read.principal->servers, ElementsAre("github", "jira"));
  EXPECT_THAT(read.principal->tools, ElementsAre("get_*"));
  EXPECT_EQ(read.principal->expires, EpochMs{9});
  EXPECT_EQ(read.created, EpochMs{5});
  EXPECT_EQ(read.ending, token.substr(token.size() - 4));
  EXPECT_EQ(book.find(sha256_hex(token)), &read);
  EXPECT_EQ(book.find(sha256_hex(token + "x")), nullptr);
  EXPECT_EQ(book.named("ci"), &read);
  EXPECT_EQ(book.named("c"), nullptr);
}

TEST(TokenBook, says_that_a_token_is_for_metrics_alone) {
  Principal reader{.name = "a", .id = {}, .servers = {}, .tools = {}, .expires = {}};
  EXPECT_THAT(with("", record_of(token, reader, EpochMs{1})), Not(HasSubstr("metrics")));
  reader.metrics_alone = true;
  const TokenBook book = TokenBook::parse(with("", record_of(token, reader, EpochMs{1})));
  ASSERT_THAT(book.records(), SizeIs(1));
  EXPECT_TRUE(book.records()[0].principal->metrics_alone);
}

TEST(TokenBook, says_how_many_requests_a_token_may_make) {
  Principal limited{.name = "a", .id = {}, .servers = {}, .tools = {}, .expires = {}};
  EXPECT_THAT(with("", record_of(token, limited, EpochMs{1})), Not(HasSubstr("rate")));
  for (const Rate& rate :
       {Rate(), Rate{.count = 600, .period = Milliseconds(60'000), .burst = 9}}) {
    limited.rate = rate;
    const TokenBook book = TokenBook::parse(with("", record_of(token, limited, EpochMs{1})));
    ASSERT_THAT(book.records(), SizeIs(1));
    EXPECT_EQ(book.records()[0].principal->rate, rate);
  }
}

TEST(TokenBook, without_limits_a_token_is_for_all_and_for_good) {
  const std::string text = with(
      "",
      record_of(
          token, {.name = "a", .id = {}, .servers = {}, .tools = {}, .expires = {}}, EpochMs{1}));
  const TokenBook book = TokenBook::parse(text);
  ASSERT_THAT(book.records(), SizeIs(1));
  EXPECT_THAT(book.records()[0].principal->servers, IsEmpty());
  EXPECT_THAT(book.records()[0].principal->tools, IsEmpty());
  EXPECT_EQ(book.records()[0].principal->expires, std::nullopt);
  EXPECT_FALSE(book.records()[0].principal->is_expired(EpochMs{INT64_MAX}));
}

TEST(TokenBook, what_is_unknown_stays_and_what_is_removed_goes_whole) {
  const std::string before = "{\n  // mine\n  \"note\": 1\n}\n";
  const std::string one = with(before, record("ci"));
  const std::string two = with(one, record("bob", "pimcp_other"));
  EXPECT_THAT(two, HasSubstr("// mine"));
  EXPECT_THAT(two, HasSubstr("\"note\": 1"));
  const Result<std::string> without = remove_token(two, "ci");
  ASSERT_TRUE(without);
  const TokenBook book = TokenBook::parse(*without);
  ASSERT_THAT(book.records(), SizeIs(1));
  EXPECT_EQ(book.records()[0].principal->name, "bob");
  EXPECT_THAT(*without, HasSubstr("// mine"));
}

TEST(TokenBook, a_name_is_given_once) {
  const std::string text = with("", record("ci"));
  const Result<std::string> again = add_token(text, record("ci", "pimcp_other"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message(), "there is a token \"ci\" already");
  const Result<std::string> gone = remove_token(text, "bob");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), ErrorCode::not_found);
  EXPECT_EQ(remove_token("", "bob").error().code(), ErrorCode::not_found);
}

TEST(TokenBook, names_are_plain) {
  for (const char* name : {"ci", "a", "Bob_2.x-y", ".x"}) {
    EXPECT_TRUE(is_token_name(name)) << name;
  }
  for (const std::string& name : {std::string(),
                                  std::string("-x"),
                                  std::string("a b"),
                                  std::string("a/b"),
                                  std::string("é"),
                                  std::string("a\n"),
                                  std::string(65, 'a')}) {
    EXPECT_FALSE(is_token_name(name)) << name;
  }
}

// A limit that cannot be understood must not become no limit.
TEST(TokenBook, of_a_record_that_cannot_be_understood_nothing_counts) {
  const std::string digest = R"("sha256":")" + sha256_hex(token) + "\"";
  EXPECT_EQ(TokenBook::parse(R"({"tokens":{"ci":{)" + digest + "}}}").problem(), "");
  for (const std::string& wrong : {std::string("1"),
                                   std::string("{}"),
                                   std::string(R"({"sha256":""})"),
                                   std::string(R"({"sha256":"ab"})"),
                                   "{" + digest + R"(,"servers":"github"})",
                                   "{" + digest + R"(,"servers":[]})",
                                   "{" + digest + R"(,"servers":[1]})",
                                   "{" + digest + R"(,"tools":null})",
                                   "{" + digest + R"(,"tools":{}})",
                                   "{" + digest + R"(,"expires":"never"})",
                                   "{" + digest + R"(,"expires":null})",
                                   "{" + digest + R"(,"metrics":1})",
                                   "{" + digest + R"(,"rate":20})",
                                   "{" + digest + R"(,"rate":{"perSecond":0}})",
                                   "{" + digest + R"(,"expires":1.5})"}) {
    EXPECT_EQ(problem_of(R"({"good":{)" + digest + R"(},"ci":)" + wrong + "}"),
              "the token \"ci\" in it cannot be understood")
        << wrong;
  }
  EXPECT_THAT(problem_of(R"({"a b":{)" + digest + "}}"), HasSubstr("\"a b\""));
}

TEST(TokenBook, of_a_damaged_text_nothing_counts_and_nothing_is_changed) {
  for (const char* damaged : {"{", "[]", "7", R"({"tokens":[]})", R"({"version":2})"}) {
    EXPECT_NE(TokenBook::parse(damaged).problem(), "") << damaged;
    EXPECT_THAT(TokenBook::parse(damaged).records(), IsEmpty());
    EXPECT_FALSE(add_token(damaged, record("ci"))) << damaged;
    EXPECT_FALSE(remove_token(damaged, "ci")) << damaged;
  }
  EXPECT_EQ(TokenBook::parse(" // empty\n").problem(), "");
}

}  // namespace
}  // namespace pi_mcp::access
