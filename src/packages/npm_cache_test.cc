#include "packages/npm_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

namespace fs = std::filesystem;

// A home folder whose npm cache holds what the test puts there.
class NpmCache : public testing::Test {
 protected:
  NpmCache() {
    std::string pattern = testing::TempDir() + "/npm-cache-test-XXXXXX";
    home_ = mkdtemp(pattern.data());
    place_.cwd = home_ + "/work";
    place_.variables = {{"HOME", home_}};
    fs::create_directories(place_.cwd);
  }
  void TearDown() override { fs::remove_all(home_); }

  static void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << text;
  }
  void install(const std::string& spec, const std::string& manifest) {
    const PackageSpec package = *parse_package_spec(spec);
    const std::string folder =
        home_ + "/.npm/_npx/" + npx_folder_name(package) + "/node_modules/" + package.name;
    write(folder + "/package.json", manifest);
    write(folder + "/cli.js", "#!/usr/bin/env node\n");
    write(folder + "/tool", "#!/bin/sh\n");
  }
  [[nodiscard]] std::optional<InstalledProgram> find(const std::vector<std::string>& args) const {
    return find_installed(*npm_cache_dir(place_), *parse_npx_command("npx", args));
  }

  std::string home_;
  NpmPlace place_;
};

TEST_F(NpmCache, finds_the_program_of_an_installed_package) {
  install("@s/pkg@1.2.3", R"({"version":"1.2.3","bin":{"pkg":"cli.js"}})");
  const auto program = find({"-y", "@s/pkg@1.2.3", "arg"});
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->path.ends_with("/@s/pkg/cli.js"));
  EXPECT_EQ(program->version, "1.2.3");
  EXPECT_TRUE(program->node_script);
}

TEST_F(NpmCache, runs_other_programs_without_node) {
  install("pkg", R"({"version":"1.0.0","bin":"tool"})");
  EXPECT_FALSE(find({"pkg"})->node_script);
}

TEST_F(NpmCache, does_not_answer_for_another_version_or_a_broken_install) {
  install("pkg@1.2.3", R"({"version":"1.2.4","bin":"cli.js"})");
  EXPECT_FALSE(find({"pkg@1.2.3"}));
  install("gone", R"({"version":"1.0.0","bin":"missing.js"})");
  EXPECT_FALSE(find({"gone"}));
  install("broken", "{");
  EXPECT_FALSE(find({"broken"}));
  install("outside", R"({"version":"1.0.0","bin":"../../../../../../srv/app"})");
  write(place_.cwd + "/x", "#!/bin/sh\n");
  EXPECT_FALSE(find({"outside"}));
  EXPECT_FALSE(find({"never-installed"}));
}

TEST_F(NpmCache, the_cache_folder_follows_environment_and_npmrc) {
  EXPECT_EQ(npm_cache_dir(place_), home_ + "/.npm");
  write(home_ + "/.npmrc", "fund=false\ncache = \"${HOME}/user\"\n");
  EXPECT_EQ(npm_cache_dir(place_), home_ + "/user");
  write(place_.cwd + "/.npmrc", "cache=~/project\n");
  EXPECT_EQ(npm_cache_dir(place_), home_ + "/project");
  place_.variables["NPM_CONFIG_CACHE"] = "/elsewhere";
  EXPECT_EQ(npm_cache_dir(place_), "/elsewhere");
  place_.variables["NPM_CONFIG_CACHE"] = "relative";
  EXPECT_EQ(npm_cache_dir(place_), std::nullopt) << "not worth guessing what it is relative to";
}

TEST_F(NpmCache, gives_way_to_packages_and_programs_that_npx_would_prefer) {
  const NpxCommand command = *parse_npx_command("npx", {"pkg"});
  EXPECT_FALSE(npx_prefers_local(place_, command));
  write(home_ + "/bin/node", "");
  write(home_ + "/bin/pkg", "");
  place_.variables["PATH"] = home_ + "/bin";
  EXPECT_TRUE(npx_prefers_local(place_, command));
  place_.variables.erase("PATH");
  write(home_ + "/node_modules/.bin/pkg", "");
  EXPECT_TRUE(npx_prefers_local(place_, command));
  EXPECT_FALSE(npx_prefers_local(place_, *parse_npx_command("npx", {"-p", "pkg", "tool"})));
  write(home_ + "/node_modules/pkg/package.json", "{}");
  EXPECT_TRUE(npx_prefers_local(place_, *parse_npx_command("npx", {"-p", "pkg", "tool"})));
}

}  // namespace
}  // namespace pi_mcp::packages
