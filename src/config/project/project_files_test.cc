// What a project can cost before anybody has said that it may be trusted.
#include "config/project/project_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ProjectFilesTest : public MachineFixture {};

// {"k0": value, "k1": value, ...}
std::string members(int count, const std::string& value) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + value;
  }
  return "{" + text + "}";
}
const std::string many_servers = R"({"mcpServers":)" + members(300, R"({"command":"x"})") + "}";

TEST_F(ProjectFilesTest, of_a_projects_file_256_servers_count_and_of_the_users_all) {
  project(many_servers);
  EXPECT_THAT(names(), SizeIs(256));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("only its first 256 servers are read")));
  project("{}");
  user(many_servers);
  EXPECT_THAT(names(), SizeIs(300));
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(ProjectFilesTest, of_servers_that_need_trust_256_are_listed) {
  options_.trust.everything = false;
  project(many_servers);
  file(shared_project_file, R"({"mcpServers": {"a": {"command": "a"}}})");
  EXPECT_THAT(names(), SizeIs(256));
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("that need trust only the first 256 are listed")));
  EXPECT_THAT(load().trust_requests, SizeIs(256));
}

TEST_F(ProjectFilesTest, a_large_entry_or_large_settings_of_a_project_are_left_out) {
  const std::string large = members(10'000, R"("")");
  project(R"({"mcpServers": {"a": {"command": "a"}, "b": {"command": "b", "env": )" + large +
          R"(}}, "settings": )" + large + "}");
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("server \"b\" is larger than 64.0KB; the entry is left out"),
                          HasSubstr("\"settings\" is larger than 64.0KB; it is ignored")));
}

TEST_F(ProjectFilesTest, files_of_a_project_have_a_mebibyte_together) {
  const std::string blanks(600'000, ' ');
  file(shared_project_file, R"({"mcpServers": {"a": {"command": "a"}}})" + blanks);
  project(R"({"mcpServers": {"b": {"command": "b"}}})" + blanks);
  user(R"({"mcpServers": {"c": {"command": "c"}}})" + blanks + blanks);
  EXPECT_THAT(names(), ElementsAre("c", "a"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("app/.pi/mcp.json: with it the project's files are larger than "
                                    "1.0MB; the file is left out")));
}

}  // namespace
}  // namespace pi_mcp::config
