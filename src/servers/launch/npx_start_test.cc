#include "servers/launch/npx_start.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "packages/npm_cache.h"
#include "servers/launch/npx_cache.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr std::int64_t day_ms = std::int64_t{24} * 60 * 60 * 1000;

// A home folder with packages called pkg in npm's cache. Times are days since they were installed.
class NpxStartTest : public testing::Test {
 protected:
  NpxStartTest() {
    std::string pattern = testing::TempDir() + "/npx-start-test-XXXXXX";
    home_ = mkdtemp(pattern.data());
    fs::create_directories(home_ + "/work");
  }
  void TearDown() override { fs::remove_all(home_); }

  // The path of the program that npm would install for this spec.
  std::string install(const std::string& spec, const std::string& version = "1.2.3") {
    const fs::path modules = home_ + "/.npm/_npx/" +
                             packages::npx_folder_name(*packages::parse_package_spec(spec)) +
                             "/node_modules";
    fs::create_directories(modules / "pkg");
    std::ofstream(modules / "pkg/cli.js") << "#!/usr/bin/env node\n";
    std::ofstream(modules / "pkg/package.json")
        << R"({"name":"pkg","version":")" << version << R"(","bin":"cli.js"})";
    std::ofstream(modules / ".package-lock.json") << "{}";
    installed_at_ = *io::modified_at(modules / ".package-lock.json");
    return io::canonical_path(modules / "pkg/cli.js");
  }
  [[nodiscard]] Launch launch(std::vector<std::string> args) const {
    Launch launch;
    launch.server = "s";
    launch.command = "npx";
    launch.args = std::move(args);
    launch.env = {{"HOME", home_}};
    launch.cwd = home_ + "/work";
    return launch;
  }
  [[nodiscard]] EpochMs after(double days) const {
    return {installed_at_.value + static_cast<std::int64_t>(days * day_ms)};
  }
  [[nodiscard]] NpxStart start(std::vector<std::string> args, double days = 0) const {
    return without_npm(launch(std::move(args)), after(days));
  }
  [[nodiscard]] std::string cache_text() const {
    return io::read_file(home_ + "/.pi/agent/mcp-npx-cache.json")->value_or("");
  }
  [[nodiscard]] NpxCache cache(const std::string& spec) const {
    return {launch({spec}), *packages::parse_npx_command("npx", {spec})};
  }

  std::string home_;
  EpochMs installed_at_;
};

TEST_F(NpxStartTest, row_66_an_installed_package_starts_under_node_and_is_noted) {
  const std::string program = install("pkg@1.2.3");
  const Launch started = start({"-y", "pkg@1.2.3", "--flag", "x"}).launch;
  EXPECT_EQ(started.command, "node");
  EXPECT_THAT(started.args, ElementsAre(program, "--flag", "x"));
  const auto entry = npx_cache_entry(cache_text(), R"(["npx","pkg@1.2.3",""])");
  ASSERT_TRUE(entry) << cache_text();
  EXPECT_EQ(entry->program, program);
  EXPECT_EQ(entry->version, "1.2.3");
  EXPECT_TRUE(entry->node_script);
}

TEST_F(NpxStartTest, npm_exec_starts_the_same_way) {
  const std::string program = install("pkg");
  Launch configured = launch({"exec", "--package=pkg", "--", "pkg", "x"});
  configured.command = "npm";
  const Launch started = without_npm(configured, after(0)).launch;
  EXPECT_EQ(started.command, "node");
  EXPECT_THAT(started.args, ElementsAre(program, "x"));
}

TEST_F(NpxStartTest, row_67_unknown_flags_run_as_written) {
  install("pkg@1.2.3");
  const NpxStart started = start({"-c", "pkg@1.2.3"});
  EXPECT_EQ(started.launch.command, "npx");
  EXPECT_THAT(started.launch.args, ElementsAre("-c", "pkg@1.2.3"));
  EXPECT_FALSE(started.missing);
  EXPECT_EQ(cache_text(), "");
}

TEST_F(NpxStartTest, what_is_not_installed_runs_as_written_and_is_known_to_be_missing) {
  const NpxStart started = start({"-y", "pkg@1.2.3"});
  EXPECT_EQ(started.launch.command, "npx");
  ASSERT_TRUE(started.missing);
  EXPECT_EQ(started.missing->package.name, "pkg");
}

TEST_F(NpxStartTest, tags_ranges_and_names_start_at_once_and_are_checked_after_a_day) {
  for (const char* spec : {"pkg", "pkg@latest", "pkg@^1.0.0"}) {
    install(spec);
    EXPECT_EQ(start({spec}).launch.command, "node") << spec;
    EXPECT_FALSE(start({spec}, 0.9).check) << spec;
    const NpxStart next_day = start({spec}, 1.1);
    EXPECT_EQ(next_day.launch.command, "node") << spec;
    ASSERT_TRUE(next_day.check) << spec;
    EXPECT_EQ(next_day.check->version, "1.2.3");
    EXPECT_EQ(next_day.check->launch.command, "npx") << "as it was configured";
  }
  install("pkg@1.2.3");
  EXPECT_FALSE(start({"pkg@1.2.3"}, 400).check) << "an exact version means what it says";
}

TEST_F(NpxStartTest, after_a_month_without_a_check_npx_looks_itself) {
  install("pkg@latest");
  EXPECT_EQ(start({"pkg@latest"}, 29).launch.command, "node");
  EXPECT_EQ(start({"pkg@latest"}, 31).launch.command, "npx");
  EXPECT_EQ(start({"pkg@latest"}, 31).launch.command, "node");
}

TEST_F(NpxStartTest, what_a_check_installed_is_started_until_npx_itself_installs_something_newer) {
  const std::string old_program = install("pkg@latest");
  const std::string new_program = install("pkg@1.3.0", "1.3.0");
  const EpochMs checked = after(1);
  cache("pkg@latest")
      .write({.program = new_program,
              .resolved_at = checked,
              .version = "1.3.0",
              .node_script = true});
  EXPECT_THAT(start({"pkg@latest"}, 1.5).launch.args, ElementsAre(new_program));
  EXPECT_EQ(start({"pkg@latest"}, 2.5).check->version, "1.3.0");
  cache("pkg@latest")
      .write({.program = new_program,
              .resolved_at = {installed_at_.value - 1000},
              .version = "1.3.0",
              .node_script = true});
  EXPECT_THAT(start({"pkg@latest"}).launch.args, ElementsAre(old_program));
}

TEST_F(NpxStartTest, one_process_takes_a_check_for_all) {
  install("pkg@latest");
  (void)start({"pkg@latest"});
  const NpxCache entry = cache("pkg@latest");
  EXPECT_FALSE(entry.claim(after(0.5), after(0.6))) << "not due";
  EXPECT_TRUE(entry.claim(after(2), after(2.1)));
  EXPECT_FALSE(entry.claim(after(2), after(2.1))) << "taken";
  EXPECT_FALSE(start({"pkg@latest"}, 2.05).check) << "taken";
  EXPECT_TRUE(start({"pkg@latest"}, 2.2).check) << "whoever took it did not finish";
}

TEST_F(NpxStartTest, half_an_installation_is_none) {
  const std::string program = install("pkg@1.2.3");
  const fs::path modules = fs::path(program).parent_path().parent_path();
  fs::remove(modules / ".package-lock.json");
  std::ofstream(modules / "pkg/package.json")
      << R"({"name":"pkg","version":"1.2.3","bin":"cli.js","dependencies":{"dep":"1"}})";
  EXPECT_TRUE(start({"pkg@1.2.3"}).missing);
  fs::create_directories(modules / "dep");
  std::ofstream(modules / "dep/package.json") << "{}";
  EXPECT_EQ(start({"pkg@1.2.3"}).launch.command, "node");
}

TEST_F(NpxStartTest, files_of_the_folder_decide_nothing_when_it_is_kept_out) {
  const std::string program = install("pkg");
  Launch configured = launch({"pkg"});
  fs::create_directories(configured.cwd + "/node_modules/pkg");
  std::ofstream(configured.cwd + "/node_modules/pkg/package.json") << "{}";
  std::ofstream(configured.cwd + "/.npmrc") << "cache=/nowhere\n";
  EXPECT_EQ(without_npm(configured, after(0)).launch.command, "npx") << "npx prefers what is near";
  configured.kept_out = true;
  const Launch started = without_npm(configured, after(0)).launch;
  EXPECT_EQ(started.command, "node");
  EXPECT_THAT(started.args, ElementsAre(program));
  EXPECT_EQ(started.cwd, home_ + "/work") << "the program runs in the folder";
  EXPECT_FALSE(started.kept_out) << "and is not a launcher";
  EXPECT_THAT(started.env.at("BUN_OPTIONS"), testing::HasSubstr("--config=/dev/null"));
}

TEST_F(NpxStartTest, a_program_beside_node_starts_as_npx_would_start_it) {
  fs::create_directories(home_ + "/bin");
  std::ofstream(home_ + "/bin/node") << "";
  std::ofstream(home_ + "/bin/pkg") << "";
  Launch configured = launch({"-y", "pkg", "x"});
  configured.env["PATH"] = home_ + "/bin";
  configured.kept_out = true;
  const Launch started = without_npm(configured, after(0)).launch;
  EXPECT_EQ(started.command, home_ + "/bin/pkg");
  EXPECT_THAT(started.args, ElementsAre("x"));
}

TEST(NpxCacheText, keeps_other_entries_and_replaces_what_is_no_cache) {
  const NpxCacheEntry entry{
      .program = "/p", .resolved_at = {7}, .version = "1", .node_script = true};
  const std::string one = with_npx_cache_entry("garbage", "a", entry);
  const std::string two = with_npx_cache_entry(one, "b", entry);
  EXPECT_TRUE(npx_cache_entry(two, "a"));
  EXPECT_TRUE(npx_cache_entry(two, "b"));
  EXPECT_FALSE(npx_cache_entry(R"({"version":1,"entries":{"a":{"resolvedAt":1}}})", "a"));
  EXPECT_FALSE(npx_cache_entry(two, "c"));
}

}  // namespace
}  // namespace pi_mcp::servers
