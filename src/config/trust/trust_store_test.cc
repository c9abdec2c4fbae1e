#include "config/trust/trust_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TrustRequest request(const std::string& server, const std::string& digest) {
  return {.folder = "/p",
          .path = "/p/.mcp.json",
          .server = server,
          .digest = digest,
          .entry = "{}",
          .answered_by = {}};
}

TrustAnswer answer(std::vector<TrustRequest> requests) {
  return {.folder = "/p", .requests = std::move(requests), .whole = false, .by = "user", .at = {5}};
}

TEST(TrustStore, what_cannot_be_read_trusts_nothing_and_is_not_overwritten) {
  EXPECT_THAT(TrustStore::parse("{").problem(), HasSubstr("line 1"));
  EXPECT_THAT(
      TrustStore::parse(R"({"version": 2, "folders": {"/p": {"trusted": true}}})").problem(),
      HasSubstr("newer"));
  EXPECT_FALSE(add_trust("{", answer({request("a", "1")})));
  EXPECT_FALSE(
      set_choice("[", {.folder = "/p", .server = "a", .key = "disabled", .value = "true"}));
}

TEST(TrustStore, writes_nothing_into_a_file_that_it_does_not_understand) {
  for (const std::string text : {R"({"version": 2})", "[]", "{"}) {
    EXPECT_FALSE(TrustStore::parse(text).problem().empty()) << text;
    EXPECT_FALSE(add_trust(text, answer({request("a", "1")}))) << text;
    EXPECT_FALSE(remove_trust(text, "/p", "a")) << text;
    EXPECT_FALSE(
        set_choice(text, {.folder = "/p", .server = "a", .key = "disabled", .value = "true"}))
        << text;
  }
}

TEST(TrustStore, keeps_answers_and_everything_else_in_the_file) {
  const std::string before = "{\"approvals\": [1], // mine\n \"other\": true}";
  const Result<std::string> text =
      add_trust(before, answer({request("a", "d1"), request("", "d2")}));
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("// mine"));
  EXPECT_THAT(*text, HasSubstr("\"approvals\": [1]"));
  const TrustStore book = TrustStore::parse(*text);
  EXPECT_TRUE(book.allows(request("a", "d1")));
  EXPECT_TRUE(book.allows(request("", "d2")));
  EXPECT_FALSE(book.allows(request("b", "d1"))) << "another server";
  EXPECT_FALSE(book.allows(request("a", "d3")));
  EXPECT_FALSE(book.find("/p")->whole);
  EXPECT_EQ(book.find("/p")->entries[0].at, EpochMs{5});
}

TEST(TrustStore, takes_back_one_server_or_the_whole_folder) {
  TrustAnswer all = answer({request("a", "d1"), request("b", "d2")});
  all.whole = true;
  const std::string text = add_trust("", all).value_or("");
  const std::string without_a = remove_trust(text, "/p", "a").value_or("");
  EXPECT_FALSE(TrustStore::parse(without_a).allows(request("a", "d1")));
  EXPECT_TRUE(TrustStore::parse(without_a).allows(request("b", "d2")));
  EXPECT_TRUE(TrustStore::parse(without_a).find("/p")->whole);
  const std::string nothing = remove_trust(text, "/p", "").value_or("");
  EXPECT_THAT(TrustStore::parse(nothing).find("/p")->entries, IsEmpty());
  EXPECT_FALSE(TrustStore::parse(nothing).find("/p")->whole);
  EXPECT_EQ(remove_trust(nothing, "/p", "").error().code(), ErrorCode::not_found);
  EXPECT_EQ(remove_trust(text, "/p", "c").error().code(), ErrorCode::not_found);
}

TEST(TrustStore, keeps_choices_for_a_folder_and_forgets_them_with_null) {
  const FolderChoice off{.folder = "/p", .server = "a", .key = "disabled", .value = "true"};
  const std::string text = set_choice("", off).value_or("");
  ASSERT_THAT(TrustStore::parse(text).find("/p")->choices, SizeIs(1));
  EXPECT_EQ(TrustStore::parse(text).find("/p")->choices.at("a").find("disabled").raw(), "true");
  FolderChoice none = off;
  none.value = "null";
  const std::string without = set_choice(text, none).value_or("");
  EXPECT_TRUE(TrustStore::parse(without).find("/p")->choices.at("a").empty());
  EXPECT_EQ(set_choice(without, none).value_or("?"), without);
}

TEST(TrustStore, remembers_which_host_has_answered_for_a_server_before) {
  TrustAnswer by_claude = answer({request("a", "d1")});
  by_claude.by = "claude-code";
  const TrustStore book = TrustStore::parse(add_trust("", by_claude).value_or(""));
  EXPECT_TRUE(book.has_answer(request("a", "d9"), "claude-code"));
  EXPECT_FALSE(book.has_answer(request("a", "d9"), "codex"));
  EXPECT_FALSE(book.has_answer(request("b", "d9"), "claude-code"));
}

TEST(TrustStore, an_answer_of_a_host_does_not_count_again_once_it_was_taken_back) {
  TrustAnswer by_claude = answer({request("a", "d1")});
  by_claude.by = "claude-code";
  const std::string kept = add_trust("", by_claude).value_or("");
  for (const std::string server : {"a", ""}) {
    const std::string without = remove_trust(kept, "/p", server).value_or("");
    EXPECT_FALSE(TrustStore::parse(without).allows(request("a", "d1")));
    EXPECT_TRUE(TrustStore::parse(without).has_answer(request("a", "d1"), "claude-code"));
    const std::string again = add_trust(without, answer({request("a", "d1")})).value_or("");
    EXPECT_TRUE(TrustStore::parse(again).allows(request("a", "d1"))) << "the user's word counts";
  }
}

}  // namespace
}  // namespace pi_mcp::config
