#include "config/project/project_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* server_x = R"({"mcpServers": {"x": {"command": "c"}}})";

class ProjectFolders : public MachineFixture {
 protected:
  ProjectFolders() { environment_.cwd = "/home/ann/code/app/src/lib"; }
  void repository(const std::string& folder) { files_.add_directory(folder + "/.git"); }
  [[nodiscard]] std::vector<std::string> above() const {
    return folders_above(environment_, files_);
  }
};

TEST_F(ProjectFolders, reach_up_to_the_root_of_the_repository) {
  EXPECT_THAT(above(), IsEmpty());
  repository("/home/ann/code");
  EXPECT_THAT(above(),
              ElementsAre("/home/ann/code/app/src", "/home/ann/code/app", "/home/ann/code"));
  file("/home/ann/code/app/.git", "gitdir: /elsewhere");  // a worktree, or a submodule
  EXPECT_THAT(above(), ElementsAre("/home/ann/code/app/src", "/home/ann/code/app"));
  repository(environment_.cwd);
  EXPECT_THAT(above(), IsEmpty());
}

TEST_F(ProjectFolders, never_reach_the_home_folder_or_what_is_above_it) {
  repository("/home/ann");
  repository("/");
  EXPECT_THAT(above(), IsEmpty());
}

TEST_F(ProjectFolders, never_reach_behind_a_mount) {
  repository("/home/ann/code");
  files_.add_mount("/home/ann/code/app");
  EXPECT_THAT(above(), IsEmpty());
}

TEST_F(ProjectFolders, are_no_more_than_64) {
  environment_.cwd = "/home/ann/code";
  for (int depth = 0; depth < 64; ++depth) {
    environment_.cwd += "/a";
  }
  repository("/home/ann/code");
  EXPECT_THAT(above(), testing::SizeIs(64));
  environment_.cwd += "/a";
  EXPECT_THAT(above(), IsEmpty());
}

TEST_F(ProjectFolders, files_of_the_project_count_in_its_subfolders_the_nearest_wins) {
  repository("/home/ann/code/app");
  file("/home/ann/code/app/.mcp.json",
       R"({"mcpServers": {"x": {"command": "far"}, "y": {"command": "far"}}})");
  file("/home/ann/code/app/src/.pi/mcp.json", R"({"mcpServers": {"x": {"command": "near"}}})");
  EXPECT_EQ(server("x").command, "near");
  EXPECT_EQ(server("y").command, "far");
  std::vector<std::string> looked_at;
  for (const SourceFile& looked : source_files(environment_, files_, options_)) {
    looked_at.push_back(looked.path);
  }
  EXPECT_THAT(looked_at, testing::Contains("/home/ann/code/app/.mcp.json"));
}

TEST_F(ProjectFolders, paths_of_an_entry_are_of_its_own_folder) {
  repository("/home/ann/code/app");
  file("/home/ann/code/app/.mcp.json",
       R"({"mcpServers": {"x": {"command": "./bin/x", "args": ["./a"], "cwd": "sub"},
                          "y": {"command": "npx"}, "z": {"command": "$HOME/x"}}})");
  EXPECT_EQ(server("x").command, "/home/ann/code/app/bin/x");
  EXPECT_EQ(server("x").cwd, "/home/ann/code/app/sub");
  EXPECT_THAT(server("x").args, ElementsAre("./a"));
  EXPECT_EQ(server("y").command, "npx");
  EXPECT_EQ(server("y").cwd, std::nullopt);
  EXPECT_EQ(server("z").command, "$HOME/x");
}

TEST_F(ProjectFolders, the_file_of_a_host_comes_from_the_nearest_folder_and_means_that_one) {
  repository("/home/ann/code/app");
  user(R"({"imports": ["cursor"]})");
  file("/home/ann/code/app/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "c", "args": ["${workspaceFolder}"]}}})");
  EXPECT_THAT(server("x").args, ElementsAre("/home/ann/code/app"));
  file("/home/ann/code/app/src/.cursor/mcp.json", R"({"mcpServers": {"y": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("y"));
}

TEST_F(ProjectFolders, what_belongs_to_another_user_does_not_count_below_its_folder) {
  environment_.cwd = "/tmp/mine";
  repository("/tmp");
  file("/tmp/.mcp.json", server_x);
  files_.add_foreign("/tmp");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("/tmp/.mcp.json: it or its folder belongs to")));
  environment_.cwd = "/srv/app/sub";
  repository("/srv/app");
  file("/srv/app/.mcp.json", server_x);
  files_.add_foreign("/srv/app/.mcp.json");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("/srv/app/.mcp.json: it or its folder belongs")));
}

TEST_F(ProjectFolders, trust_is_for_the_folder_in_which_the_file_lies) {
  options_.trust.everything = false;
  repository("/home/ann/code/app");
  file("/home/ann/code/app/.mcp.json", server_x);
  const Settings settings = load();
  ASSERT_EQ(settings.trust_requests.size(), 1U);
  EXPECT_EQ(settings.trust_requests[0].folder, "/home/ann/code/app");
  EXPECT_EQ(settings.servers[0].standing, Standing::needs_trust);
}

}  // namespace
}  // namespace pi_mcp::config
