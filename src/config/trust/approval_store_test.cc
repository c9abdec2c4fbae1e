// What is kept of the user's answers, and that nothing else of the file changes with it.
#include "config/trust/approval_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const KeptApproval one_tool{.digest = "d1", .server = "probe", .tool = "delete_all"};
const KeptApproval whole_server{.digest = "d2", .server = "files", .tool = ""};

std::string compacted(const std::string& text) {
  const Result<json::Document> document = json::Document::parse_view(text);
  EXPECT_TRUE(document.has_value()) << text;
  return document ? json::compact(document->root()) : "";
}

TEST(ApprovalStore, what_is_added_is_listed_in_order) {
  EXPECT_THAT(*kept_approvals(""), IsEmpty());
  const Result<std::string> first = with_approval("", one_tool);
  ASSERT_TRUE(first);
  const Result<std::string> second = with_approval(*first, whole_server);
  ASSERT_TRUE(second);
  EXPECT_THAT(*kept_approvals(*second), ElementsAre(one_tool, whole_server));
  EXPECT_EQ(*with_approval(*second, one_tool), *second) << "it is there already";
}

TEST(ApprovalStore, unknown_members_stay_as_they_were) {
  const std::string before =
      R"({"version":1.0,"approvals":{"d0":{"server":"s","tool":"t","by":"hand"},"odd":7},)"
      R"("folders":{"/x":[1e2]}})";
  const Result<std::string> after = with_approval(before, whole_server);
  ASSERT_TRUE(after);
  EXPECT_EQ(compacted(*after),
            R"({"version":1.0,"approvals":{"d0":{"server":"s","tool":"t","by":"hand"},"odd":7,)"
            R"("d2":{"server":"files"}},"folders":{"/x":[1e2]}})");
  EXPECT_EQ(kept_approvals(*after)->size(), 2U) << "\"odd\" is not an approval";
}

TEST(ApprovalStore, those_that_are_revoked_go_and_nothing_else) {
  const std::string text = R"({"approvals":{"d1":{"server":"probe","tool":"delete_all"},"odd":7,)"
                           R"("d2":{"server":"files"}},"folders":{}})";
  const Result<std::string> after = without_approvals(
      text, [](const KeptApproval& approval) { return approval.server == "probe"; });
  ASSERT_TRUE(after);
  EXPECT_EQ(compacted(*after), R"({"approvals":{"odd":7,"d2":{"server":"files"}},"folders":{}})");
  EXPECT_EQ(*without_approvals(text, [](const KeptApproval&) { return false; }), text);
}

TEST(ApprovalStore, a_text_that_is_something_else_is_not_written_over) {
  for (const char* text : {"{", "[]", "7", R"({"approvals":[]})"}) {
    EXPECT_FALSE(kept_approvals(text)) << text;
    EXPECT_FALSE(with_approval(text, one_tool)) << text;
    EXPECT_FALSE(without_approvals(text, [](const KeptApproval&) { return true; })) << text;
  }
}

TEST(ApprovalStore, grows_to_a_limit) {
  std::string text = R"({"approvals":{)";
  for (std::size_t i = 0; i < kept_approvals_max; ++i) {
    text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"server":"s"})";
  }
  const Result<std::string> more = with_approval(text + "}}", one_tool);
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message(), HasSubstr("1000 approvals already"));
}

}  // namespace
}  // namespace pi_mcp::config
