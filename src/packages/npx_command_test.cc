#include "packages/npx_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

using testing::ElementsAre;

std::optional<NpxCommand> npx(std::vector<std::string> args) {
  return parse_npx_command("npx", args);
}

TEST(NpxCommand, finds_package_and_arguments) {
  const auto command =
      npx({"-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/tmp", "-x"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->package.name, "@modelcontextprotocol/server-filesystem");
  EXPECT_EQ(command->package.version, "2026.8.31");
  EXPECT_EQ(command->bin, "");
  EXPECT_THAT(command->args, ElementsAre("/tmp", "-x"));
}

TEST(NpxCommand, a_package_option_makes_the_positional_the_program) {
  for (const auto& args : {std::vector<std::string>{"-y", "-p", "pkg@1", "tool", "a"},
                           std::vector<std::string>{"--package=pkg@1", "--", "tool", "a"},
                           std::vector<std::string>{"--package", "pkg@1", "tool", "a"}}) {
    const auto command = npx(args);
    ASSERT_TRUE(command);
    EXPECT_EQ(command->package.text, "pkg@1");
    EXPECT_EQ(command->bin, "tool");
    EXPECT_THAT(command->args, ElementsAre("a"));
  }
}

TEST(NpxCommand, keeps_a_double_dash_behind_the_package) {
  EXPECT_THAT(npx({"pkg", "--", "a"})->args, ElementsAre("--", "a"));
}

TEST(NpxCommand, gives_up_on_everything_it_does_not_know) {
  EXPECT_FALSE(npx({"-c", "echo hi"}));
  EXPECT_FALSE(npx({"--offline", "pkg"}));
  EXPECT_FALSE(npx({"-p", "a", "-p", "b", "tool"}));
  EXPECT_FALSE(npx({"-p", "-y", "tool"}));
  EXPECT_FALSE(npx({"-y"}));
  EXPECT_FALSE(npx({}));
  EXPECT_FALSE(npx({"./local"}));
  EXPECT_FALSE(npx({"github:user/repo"}));
  EXPECT_FALSE(npx({"name@npm:other@1"}));
  EXPECT_FALSE(npx({"https://example.com/x.tgz"}));
  EXPECT_FALSE(parse_npx_command("/usr/bin/npx", {"pkg"}));
  EXPECT_FALSE(parse_npx_command("bunx", {"pkg"}));
}

TEST(NpxCommand, npm_exec_needs_a_double_dash) {
  const auto command = parse_npx_command("npm", {"exec", "--yes", "--package=pkg", "--", "tool"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->bin, "tool");
  EXPECT_EQ(parse_npx_command("npm", {"exec", "--", "pkg@2", "a"})->package.version, "2");
  EXPECT_FALSE(parse_npx_command("npm", {"exec", "pkg"}));
  EXPECT_FALSE(parse_npx_command("npm", {"exec", "-p", "pkg", "--", "tool"}));
  EXPECT_FALSE(parse_npx_command("npm", {"run", "--", "pkg"}));
}

TEST(PackageSpec, tells_versions_from_ranges_and_tags) {
  for (const char* exact : {"n@1.2.3", "n@=1.2.3", "n@v1.2.3", "n@1.2.3-beta.1", "n@2026.8.31"}) {
    EXPECT_TRUE(parse_package_spec(exact)->is_exact()) << exact;
  }
  for (const char* open : {"n",
                           "n@latest",
                           "n@^1.2.3",
                           "n@1",
                           "n@1.2",
                           "n@1.2.x",
                           "n@>=1.2.3 <2",
                           "n@1.2.",
                           "n@..1"}) {
    EXPECT_FALSE(parse_package_spec(open)->is_exact()) << open;
  }
  EXPECT_EQ(parse_package_spec("n@=1.2.3")->exact_version(), "1.2.3");
}

// Seen in npm 11.19: `npx -y @modelcontextprotocol/server-memory@2026.8.31` made this folder.
TEST(NpxFolder, has_the_name_that_npm_gives_it) {
  EXPECT_EQ(npx_folder_name(*parse_package_spec("@modelcontextprotocol/server-memory@2026.8.31")),
            "c98ccc168155bafa");
}

std::string chosen(std::string manifest, std::string_view spec, std::string_view wanted) {
  const json::Document document = *json::Document::parse(std::move(manifest));
  const auto bin = choose_bin(document.root(), *parse_package_spec(spec), wanted);
  return bin ? bin->name + "=" + bin->path : "none";
}

TEST(ChooseBin, follows_npm) {
  EXPECT_EQ(chosen(R"({"bin":"cli.js"})", "@s/tool", ""), "tool=cli.js");
  EXPECT_EQ(chosen(R"({"bin":{"other":"a.js"}})", "tool", ""), "other=a.js");
  EXPECT_EQ(chosen(R"({"bin":{"x":"a.js","tool":"b.js"}})", "@s/tool", ""), "tool=b.js");
  EXPECT_EQ(chosen(R"({"bin":{"x":"a.js","y":"a.js"}})", "tool", ""), "x=a.js");
  EXPECT_EQ(chosen(R"({"bin":{"x":"a.js","y":"b.js"}})", "tool", ""), "none");
  EXPECT_EQ(chosen(R"({"bin":{"x":"a.js","y":"b.js"}})", "tool", "y"), "y=b.js");
  EXPECT_EQ(chosen(R"({"bin":{"x":"a.js"}})", "tool", "missing"), "none");
  EXPECT_EQ(chosen(R"({"bin":"cli.js"})", "tool", "other"), "none");
  EXPECT_EQ(chosen(R"({})", "tool", ""), "none");
  EXPECT_EQ(chosen(R"({"bin":{}})", "tool", ""), "none");
}

TEST(NodeScript, is_known_by_extension_or_first_line) {
  EXPECT_TRUE(is_node_script("a/b.mjs", ""));
  EXPECT_TRUE(is_node_script("a/b", "#!/usr/bin/env node\n"));
  EXPECT_FALSE(is_node_script("a/b", "#!/bin/sh\nnode x"));
  EXPECT_FALSE(is_node_script("a/b",
                              "\x7f"
                              "ELF node"));
}

}  // namespace
}  // namespace pi_mcp::packages
