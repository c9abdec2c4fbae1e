#include "servers/launch/uv_start.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "servers/launch/isolated_start.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t day_ms = std::int64_t{24} * 60 * 60 * 1000;

// A home folder with an environment that uv made for pkg, and without a note on it.
class UvStartTest : public testing::Test {
 protected:
  UvStartTest() {
    std::string pattern = testing::TempDir() + "/uv-start-test-XXXXXX";
    home_ = mkdtemp(pattern.data());
    fs::create_directories(home_ + "/session");
    fs::create_directories(bin());
    for (const char* name : {"/pkg", "/python"}) {
      std::ofstream(bin() + name) << "";
    }
  }
  void TearDown() override { fs::remove_all(home_); }

  [[nodiscard]] std::string bin() const { return home_ + "/.cache/uv/archive-v0/x/bin"; }
  [[nodiscard]] Launch launch(std::vector<std::string> args) const {
    Launch launch;
    launch.server = "s";
    launch.command = "uvx";
    launch.args = std::move(args);
    launch.env = {{"HOME", home_}, {"PATH", "/usr/bin"}};
    launch.cwd = home_ + "/session";
    return launch;
  }
  // What the shell would do with this start: the note as uv's shell tells it.
  void tell(const UvStart& start) const {
    const std::vector<std::string>& args = start.launch.args;  // -c SCRIPT FOLDER NOTE STAMP …
    std::ofstream(args.at(3)) << args.at(4) << "\n/opt/uv\n" << bin() << "\n";
  }
  [[nodiscard]] UvStart start(const Launch& launch, std::int64_t days = 0) const {
    return without_uv(launch, {now_.value + days * day_ms});
  }
  // After it has been asked for once.
  [[nodiscard]] UvStart again(const Launch& launch, std::int64_t days = 0) const {
    tell(start(launch));
    return start(launch, days);
  }

  std::string home_;
  EpochMs now_{std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count()};
};

TEST_F(UvStartTest, uv_is_asked_first_and_then_the_program_of_its_environment_starts) {
  const Launch configured = launch({"pkg==1", "--flag", "x"});
  const UvStart first = start(configured);
  EXPECT_EQ(first.launch.command, "/bin/sh");
  EXPECT_EQ(first.installing, "pkg==1");
  ASSERT_TRUE(first.found);
  EXPECT_FALSE(first.found());
  tell(first);
  EXPECT_TRUE(first.found());
  const UvStart second = start(configured);
  EXPECT_FALSE(second.found);
  EXPECT_EQ(second.launch.command, bin() + "/pkg");
  EXPECT_THAT(second.launch.args, ElementsAre("--flag", "x"));
  EXPECT_EQ(second.launch.env.at("PATH"), bin() + ":/usr/bin");
  EXPECT_EQ(second.launch.env.at("UV"), "/opt/uv");
}

// An empty entry of PATH is the working directory.
TEST_F(UvStartTest, no_path_gets_no_empty_entry) {
  Launch without_path = launch({"pkg"});
  without_path.env["PATH"] = "";
  EXPECT_EQ(again(without_path).launch.env.at("PATH"), bin());
}

TEST_F(UvStartTest, what_may_be_newer_is_asked_for_and_what_was_there_stands_in) {
  const UvStart latest = again(launch({"pkg@latest"}));
  EXPECT_EQ(latest.launch.command, "/bin/sh");
  EXPECT_EQ(latest.installing, "");
  EXPECT_EQ(latest.launch.args.at(5), "/opt/uv\n" + bin()) << "for when uv fails";
}

TEST_F(UvStartTest, an_environment_or_an_interpreter_that_is_gone_is_asked_for_anew) {
  tell(start(launch({"pkg"})));
  for (const char* name : {"/pkg", "/python"}) {
    EXPECT_EQ(start(launch({"pkg"})).launch.command, bin() + "/pkg");
    fs::rename(bin() + name, bin() + "/away");
    EXPECT_EQ(start(launch({"pkg"})).launch.command, "/bin/sh") << name;
    fs::rename(bin() + "/away", bin() + name);
  }
}

TEST_F(UvStartTest, whatever_uv_decides_by_asks_it_anew) {
  Launch configured = launch({"pkg"});
  for (const char* file : {"/.config/uv/uv.toml",
                           "/.config/uv/.python-version",
                           "/.local/share/uv/tools/pkg/uv-receipt.toml",
                           "/session/.python-version"}) {
    EXPECT_EQ(again(configured).launch.command, bin() + "/pkg");
    fs::create_directories(fs::path(home_ + file).parent_path());
    std::ofstream(home_ + file) << "";
    EXPECT_EQ(start(configured).launch.command, "/bin/sh") << file;
  }
  EXPECT_EQ(again(configured).launch.command, bin() + "/pkg");
  configured.env["PATH"] = "/opt/python/bin:/usr/bin";
  EXPECT_EQ(start(configured).launch.command, "/bin/sh");
  configured.env["PATH"] = "/usr/bin";
  configured.env["UV_PYTHON"] = "3.12";
  EXPECT_EQ(start(configured).launch.command, "/bin/sh");
}

TEST_F(UvStartTest, files_of_a_folder_that_is_kept_out_change_nothing) {
  Launch configured = launch({"--from", "pkg", "python", "-m", "mod", "x"});
  configured.kept_out = true;
  const UvStart first = start(configured);
  EXPECT_EQ(first.launch.cwd, "/");
  EXPECT_EQ(first.launch.args.at(2), home_ + "/session");
  EXPECT_THAT(first.launch.args.at(first.launch.args.size() - 4), HasSubstr("import sys"));
  tell(first);
  std::ofstream(configured.cwd + "/.python-version") << "3.8";
  const UvStart second = start(configured);
  EXPECT_EQ(second.launch.command, bin() + "/python");
  EXPECT_EQ(placed(second.launch)->args.front(), "-c") << "it finds no modules there";
  configured.args = {"--from", "./pkg", "pkg"};
  EXPECT_EQ(start(configured).launch.command, "uvx");
}

TEST_F(UvStartTest, a_newer_version_is_looked_for_behind_the_server_after_a_day) {
  const Launch configured = launch({"pkg"});
  EXPECT_FALSE(again(configured).check);
  const UvStart later = start(configured, 2);
  EXPECT_EQ(later.launch.command, bin() + "/pkg");
  ASSERT_TRUE(later.check);
  EXPECT_TRUE(later.check->command.background);
  EXPECT_EQ(later.check->command.arguments.at(2), "") << "which starts nothing";
  EXPECT_EQ(start(configured, 31).launch.command, "/bin/sh") << "nobody looked for a month";
}

TEST_F(UvStartTest, what_only_uv_can_follow_runs_as_written) {
  EXPECT_EQ(start(launch({"--env-file", "/x", "pkg"})).launch.command, "uvx");
  Launch without_cache = launch({"pkg"});
  without_cache.env["UV_NO_CACHE"] = "1";
  EXPECT_EQ(start(without_cache).launch.command, "uvx");
}

}  // namespace
}  // namespace pi_mcp::servers
