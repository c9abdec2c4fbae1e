#include "setup/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "setup/record.h"
#include "setup/undo.h"
#include "support/memory_files.h"

namespace pi_mcp::setup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SetupFolder : public testing::Test {
 protected:
  SetupFolder() { files_.add("/home/ann/app/.mcp.json", R"({"mcpServers": {"a": {}, "b": {}}})"); }
  FolderPlan plan(const std::string& claude) {
    files_.add("/home/ann/.claude.json", claude);
    const Result<std::optional<FolderPlan>> made = plan_folder(environment_, files_);
    EXPECT_TRUE(made && *made);
    return made && *made ? **made : FolderPlan();
  }

  config::MemoryFiles files_;
  config::Environment environment_{.variables = {}, .home = "/home/ann", .cwd = "/home/ann/app"};
};

TEST_F(SetupFolder, without_claude_code_there_is_nothing_to_switch_off) {
  EXPECT_FALSE(plan_folder(environment_, files_).value().has_value());
}

TEST_F(SetupFolder, servers_of_the_folder_are_switched_off_in_claude_code) {
  const FolderPlan found = plan(R"({"projects": {"/home/ann/app": {"x": 1}}})");
  EXPECT_THAT(found.names, ElementsAre("a", "b"));
  EXPECT_THAT(found.plan.changes.at(0).after, HasSubstr(R"("x": 1)"));
  files_.add("/home/ann/.claude.json", found.plan.changes.at(0).after);
  EXPECT_FALSE(plan_folder(environment_, files_).value().has_value());
}

TEST_F(SetupFolder, undo_leaves_what_was_switched_off_before_and_since) {
  const std::string text =
      R"({"projects": {"/home/ann/app": {"disabledMcpjsonServers": ["b", "old"]}}})";
  const FolderPlan found = plan(text);
  EXPECT_THAT(found.names, ElementsAre("a"));
  const FileChange& change = found.plan.changes.at(0);
  Record record;
  record.files.push_back(recorded(change, ""));
  const RecordedFile file = parse_record(record_text(record)).value().files.at(0);
  EXPECT_EQ(undo_file(file, change.after, text).text, text);
  std::string now = change.after;
  now.replace(now.find("\"old\""), 5, "\"new\"");
  const std::string undone = undo_file(file, now, text).text.value_or("");
  EXPECT_THAT(undone, HasSubstr("\"new\""));
  EXPECT_THAT(undone, HasSubstr("\"b\""));
  EXPECT_THAT(undone, testing::Not(HasSubstr("\"a\"")));
}

}  // namespace
}  // namespace pi_mcp::setup
