#include "packages/unread_files.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A folder /clone with these files in it.
struct Clone {
  std::map<std::string, std::string> files;

  [[nodiscard]] ReadFile reader() const {
    return [this](const std::string& path) -> std::optional<std::string> {
      const auto found = files.find(path);
      return found == files.end() ? std::nullopt : std::optional(found->second);
    };
  }
  [[nodiscard]] std::string advice(Launcher launcher,
                                   std::string_view said,
                                   std::string_view module = "") const {
    return unread_file_advice(
               {.launcher = launcher, .folder = "/clone", .said = said, .module = module}, reader())
        .value_or("");
  }
};

TEST(UnreadFiles, another_registry_is_named_when_a_package_was_not_found) {
  const Clone clone{{{"/clone/.npmrc", "@corp:registry = https://npm.corp/"},
                     {"/clone/uv.toml", "[[index]]\nurl='x'"},
                     {"/clone/bunfig.toml", "[install]\nregistry = 'x'"},
                     {"/clone/.yarnrc.yml", "npmScopes:\n  corp:"},
                     {"/clone/pnpm-workspace.yaml", "registry: x"}}};
  EXPECT_EQ(
      clone.advice(Launcher::npm_exec, "npm error code E404"),
      "/clone/.npmrc says where packages come from, but files of the folder do not count for "
      "servers of yours; trust that folder, or give the entry a \"cwd\" of its own, to make it "
      "count");
  EXPECT_THAT(clone.advice(Launcher::uv_tool, "x was not found in the package registry"),
              StartsWith("/clone/uv.toml"));
  EXPECT_THAT(clone.advice(Launcher::bunx, "error: GET x - 404"), StartsWith("/clone/bunfig.toml"));
  EXPECT_THAT(clone.advice(Launcher::yarn_dlx, "Response Code: 404 (Not Found)"),
              StartsWith("/clone/.yarnrc.yml"));
  EXPECT_EQ(clone.advice(Launcher::npm_exec, "Error: GITHUB_TOKEN is required"), "");
}

TEST(UnreadFiles, files_that_say_nothing_about_it_are_not_named) {
  const Clone clone{{{"/clone/.npmrc", "save-exact=true"}, {"/other/.npmrc", "registry = x"}}};
  EXPECT_EQ(clone.advice(Launcher::npm_exec, "npm error code E404"), "");
}

TEST(UnreadFiles, a_shim_without_a_default_version_is_explained) {
  const Clone clone{{{"/clone/.tool-versions", "nodejs 22"}, {"/clone/.npmrc", "registry = x"}}};
  for (const char* said : {"No version is set for command npx",
                           "mise ERROR No version is set for shim: npx",
                           "The `python3' command exists in these Python versions:",
                           "Volta error: Node is not available."}) {
    EXPECT_THAT(clone.advice(Launcher::npm_exec, said),
                AllOf(StartsWith("/clone/.tool-versions names a version"),
                      HasSubstr("set a default version")))
        << said;
  }
}

TEST(UnreadFiles, a_module_of_the_folder_is_named) {
  const Clone clone{{{"/clone/some_server.py", ""}, {"/clone/pkg/__init__.py", ""}}};
  const char* said = "/usr/bin/python3: No module named some_server";
  EXPECT_THAT(clone.advice(Launcher::python, said, "some_server"),
              StartsWith("/clone/some_server.py has that module"));
  EXPECT_THAT(clone.advice(Launcher::python, said, "pkg.server"),
              StartsWith("/clone/pkg/__init__.py"));
  EXPECT_EQ(clone.advice(Launcher::python, said, "other"), "");
}

TEST(UnreadFiles, those_in_the_way_are_found_up_to_the_home_folder) {
  const Clone clone{
      {{"/home/u/clone/NuGet.config", ""}, {"/home/u/global.json", ""}, {"/srv/global.json", ""}}};
  EXPECT_THAT(files_in_the_way("/home/u/clone/src", "/home/u", clone.reader()),
              ElementsAre("/home/u/clone/NuGet.config"));
  EXPECT_THAT(files_in_the_way("/srv/clone", "/home/u", clone.reader()),
              ElementsAre("/srv/global.json"));
  EXPECT_THAT(files_in_the_way("/home/u", "/home/u", clone.reader()), IsEmpty());
}

}  // namespace
}  // namespace pi_mcp::packages
