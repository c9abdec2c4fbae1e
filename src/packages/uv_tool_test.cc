#include "packages/uv_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

using testing::ElementsAre;

std::optional<UvTool> uvx(std::vector<std::string> args) {
  return parse_uv_tool({.command = "uvx", .args = std::move(args)});
}

TEST(UvTool, a_package_is_its_own_program) {
  const std::optional<UvTool> tool = uvx({"-q", "Some_Server[http]==1.2", "--flag", "x"});
  ASSERT_TRUE(tool);
  EXPECT_EQ(tool->launcher.command, "uvx");
  EXPECT_THAT(tool->launcher.args, ElementsAre("-q", "--from=Some_Server[http]==1.2"));
  EXPECT_THAT(tool->program, ElementsAre("Some_Server", "--flag", "x"));
  EXPECT_EQ(tool->package, "some-server");
  EXPECT_TRUE(tool->lasting);
}

TEST(UvTool, from_names_the_package_and_options_stay) {
  const std::optional<UvTool> tool = parse_uv_tool(
      {.command = "/opt/bin/uv",
       .args = {"tool", "run", "-p", "3.12", "--from", "pkg @ 1", "--with=a,b", "prog", "--from"}});
  ASSERT_TRUE(tool);
  EXPECT_THAT(tool->launcher.args,
              ElementsAre("tool", "run", "-p", "3.12", "--from", "pkg @ 1", "--with=a,b"));
  EXPECT_THAT(tool->program, ElementsAre("prog", "--from"));
  EXPECT_EQ(tool->package, "pkg");
  EXPECT_TRUE(tool->lasting);
}

TEST(UvTool, what_may_be_newer_is_asked_for_each_time) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"pkg@latest"},
                                             {"--from", "pkg@latest", "prog"},
                                             {"--refresh", "pkg"},
                                             {"-U", "pkg"},
                                             {"--reinstall-package", "x", "pkg"},
                                             {"--constraints", "/srv/c.txt", "pkg"},
                                             {"--from", "git+https://example.com/x", "prog"},
                                             {"--with", "/srv/x", "pkg"}}) {
    const std::optional<UvTool> tool = uvx(args);
    ASSERT_TRUE(tool) << args.front();
    EXPECT_FALSE(tool->lasting) << args.front();
  }
}

TEST(UvTool, what_only_uv_can_say_is_left_to_uv) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"--unknown", "pkg"},
                                             {"--env-file", "/srv/.env", "pkg"},
                                             {"--no-cache", "pkg"},
                                             {"--directory", "/srv", "pkg"},
                                             {"-p3.12", "pkg"},
                                             {"--from", "./pkg", "prog"},
                                             {"--constraints", "c.txt", "pkg"},
                                             {"git+https://example.com/x"},
                                             {"python", "-m", "x"},
                                             {"python@3.12"},
                                             {"--from", "python", "python3.12"},
                                             {"--from", "pkg", "tool.py"},
                                             {"--help"},
                                             {}}) {
    EXPECT_FALSE(uvx(args)) << (args.empty() ? "" : args.front());
  }
  EXPECT_FALSE(parse_uv_tool({.command = "uv", .args = {"run", "pkg"}}));
  EXPECT_TRUE(uvx({"--from", "pkg", "python", "-m", "x"})) << "the environment's";
}

}  // namespace
}  // namespace pi_mcp::packages
