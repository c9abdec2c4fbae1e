#include "servers/npx_start.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/file.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr EpochMs noon{1'000'000'000'000};
constexpr EpochMs next_day{noon.value + std::int64_t{24} * 60 * 60 * 1000};

// A home folder with one package, pkg 1.2.3, in npm's cache under the spec the test names.
class NpxStart : public testing::Test {
 protected:
  NpxStart() {
    std::string pattern = testing::TempDir() + "/npx-start-test-XXXXXX";
    home_ = mkdtemp(pattern.data());
    fs::create_directories(home_ + "/work");
  }
  void TearDown() override { fs::remove_all(home_); }

  void install(const std::string& spec) {
    program_ = home_ + "/.npm/_npx/" + npx_folder_name(*parse_package_spec(spec)) +
               "/node_modules/pkg/cli.js";
    fs::create_directories(fs::path(program_).parent_path());
    std::ofstream(program_) << "#!/usr/bin/env node\n";
    std::ofstream(fs::path(program_).parent_path() / "package.json")
        << R"({"name":"pkg","version":"1.2.3","bin":"cli.js"})";
    program_ = io::canonical_path(program_);
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
  [[nodiscard]] std::string cache_text() const {
    return io::read_file(home_ + "/.pi/agent/mcp-npx-cache.json")->value_or("");
  }

  std::string home_;
  std::string program_;
};

TEST_F(NpxStart, row_66_an_installed_package_starts_under_node_and_is_noted) {
  install("pkg@1.2.3");
  const Launch started = without_npm(launch({"-y", "pkg@1.2.3", "--flag", "x"}), noon);
  EXPECT_EQ(started.command, "node");
  EXPECT_THAT(started.args, ElementsAre(program_, "--flag", "x"));
  const auto entry = npx_cache_entry(cache_text(), R"(["npx","pkg@1.2.3",""])");
  ASSERT_TRUE(entry) << cache_text();
  EXPECT_EQ(entry->program, program_);
  EXPECT_EQ(entry->version, "1.2.3");
  EXPECT_TRUE(entry->node_script);
}

TEST_F(NpxStart, row_67_unknown_flags_run_as_written) {
  install("pkg@1.2.3");
  const Launch started = without_npm(launch({"-c", "pkg@1.2.3"}), noon);
  EXPECT_EQ(started.command, "npx");
  EXPECT_THAT(started.args, ElementsAre("-c", "pkg@1.2.3"));
  EXPECT_EQ(cache_text(), "");
}

TEST_F(NpxStart, what_is_not_installed_runs_as_written) {
  EXPECT_EQ(without_npm(launch({"-y", "pkg@1.2.3"}), noon).command, "npx");
}

TEST_F(NpxStart, tags_go_through_npx_once_a_day) {
  install("pkg@latest");
  EXPECT_EQ(without_npm(launch({"pkg@latest"}), noon).command, "npx")
      << "npx looks for a newer one";
  EXPECT_EQ(without_npm(launch({"pkg@latest"}), noon).command, "node");
  EXPECT_EQ(without_npm(launch({"pkg@latest"}), {next_day.value - 1}).command, "node");
  EXPECT_EQ(without_npm(launch({"pkg@latest"}), next_day).command, "npx");
  EXPECT_EQ(without_npm(launch({"pkg@latest"}), next_day).command, "node");
}

TEST(NpxCacheText, keeps_other_entries_and_replaces_what_is_no_cache) {
  const NpxCacheEntry entry{
      .program = "/p", .resolved_at = noon, .version = "1", .node_script = true};
  const std::string one = with_npx_cache_entry("garbage", "a", entry);
  const std::string two = with_npx_cache_entry(one, "b", entry);
  EXPECT_TRUE(npx_cache_entry(two, "a"));
  EXPECT_TRUE(npx_cache_entry(two, "b"));
  EXPECT_FALSE(npx_cache_entry(R"({"version":1,"entries":{"a":{"resolvedAt":1}}})", "a"));
  EXPECT_FALSE(npx_cache_entry(two, "c"));
}

}  // namespace
}  // namespace pi_mcp::servers
