// What a server that sessions share is started with, and what of that is in its key.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {
namespace {

using config::Share;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;

class SharedChild : public testing::Test {
 protected:
  SharedChild() {
    std::string pattern = testing::TempDir() + "/pi-mcp-child-XXXXXX";
    dir = ::mkdtemp(pattern.data());
    server.name = "s";
    server.command = "sh";
    environment.variables = {{"PATH", "/usr/bin:/bin"},
                             {"HOME", "/"},
                             {"LANG", "C"},
                             {"TERM", "xterm"},
                             {"CLAUDECODE", "1"},
                             {"TOKEN", "ann's"},
                             {"HTTPS_PROXY", "http://proxy:1"}};
    environment.home = "/";
    environment.cwd = "/usr";
    environment.process = ProcessTraits{};
    environment.process->limits.at(open_files_resource) = {.soft = 65'536, .hard = 65'536};
  }
  SharedChild(const SharedChild&) = delete;
  SharedChild& operator=(const SharedChild&) = delete;
  SharedChild(SharedChild&&) = delete;
  SharedChild& operator=(SharedChild&&) = delete;
  ~SharedChild() override { std::filesystem::remove_all(dir); }

  Launch launch(Sharing sharing) {
    Result<Launch> resolved = io::run(
        [&](const io::Executor&) { return resolve_launch(server, environment, {}, sharing); });
    EXPECT_TRUE(resolved) << resolved.error().message();
    return resolved ? *std::move(resolved) : Launch();
  }
  Launch shared(Share share) { return launch({.with_others = true, .share = share}); }

  void write_program(const std::string& path, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  std::string dir;
  config::Server server;
  config::Environment environment;
};

TEST_F(SharedChild, alone_gets_everything_as_the_session_has_it) {
  const Launch alone = launch({});
  EXPECT_EQ(alone.env, environment.variables);
  EXPECT_EQ(alone.cwd, "/usr");
  EXPECT_EQ(alone.process, environment.process);
  server.share = Share::user;
  EXPECT_EQ(launch({}).key(), alone.key()) << "there is nobody to share it with";
}

TEST_F(SharedChild, of_one_session_gets_everything_too_and_has_the_session_in_its_key) {
  const Launch one = launch({.with_others = true, .share = Share::session, .session = "one"});
  EXPECT_EQ(one.env, environment.variables);
  EXPECT_EQ(one.process, environment.process);
  EXPECT_NE(one.key(),
            launch({.with_others = true, .share = Share::session, .session = "two"}).key());
}

TEST_F(SharedChild, of_a_folder_gets_nothing_of_terminal_and_agent) {
  const Launch child = shared(Share::folder);
  EXPECT_THAT(child.env, Not(Contains(Key("TERM"))));
  EXPECT_THAT(child.env, Not(Contains(Key("CLAUDECODE"))));
  EXPECT_THAT(child.env, Contains(Pair("TOKEN", "ann's")));
  EXPECT_EQ(child.cwd, "/usr");
  EXPECT_EQ(child.process->limits.at(open_files_resource),
            (ResourceLimit{.soft = 1024, .hard = 65'536}));
  server.env["TERM"] = "vt100";
  EXPECT_THAT(shared(Share::folder).env, Contains(Pair("TERM", "vt100"))) << "the user wants it";
}

TEST_F(SharedChild, of_all_sessions_starts_at_home_with_little) {
  const Launch child = shared(Share::user);
  EXPECT_THAT(child.env, ElementsAre(Key("HOME"), Key("HTTPS_PROXY"), Key("LANG"), Key("PATH")));
  EXPECT_EQ(child.cwd, "/");
  EXPECT_THAT(child.not_in_key, ElementsAre("LANG", "PATH"));
  server.cwd = "/tmp";
  EXPECT_EQ(shared(Share::user).cwd, "/tmp");
  server.command = "npx";
  server.args = {"-y", "tavily-mcp"};
  environment.variables["TAVILY_API_KEY"] = "k";
  EXPECT_THAT(shared(Share::user).env, Contains(Pair("TAVILY_API_KEY", "k")));
  environment.variables["LANG"] = "de_DE.UTF-8";
  server.env["LANG"] = "${LANG}";
  EXPECT_THAT(shared(Share::user).not_in_key, ElementsAre("PATH")) << "it is configured";
}

TEST_F(SharedChild, of_all_sessions_is_told_apart_by_what_its_path_leads_to) {
  write_program(dir + "/one/tool", "#!/usr/bin/env runner\n");
  write_program(dir + "/one/runner", "#!/bin/sh\n");
  write_program(dir + "/two/runner", "#!/bin/sh\n");
  server.command = "tool";
  const auto with_path = [this](const std::string& path) {
    environment.variables["PATH"] = path;
    return shared(Share::user).key();
  };
  const std::string first = with_path(dir + "/one:/bin");
  EXPECT_EQ(with_path("/nowhere:" + dir + "/one"), first);
  EXPECT_NE(with_path(dir + "/two:" + dir + "/one"), first) << "it runs on another runner";
}

TEST_F(SharedChild, keeps_a_path_without_which_its_program_is_not_found) {
  const std::string path = dir + "/.codex/tmp/arg0/codex-arg0A";
  write_program(path + "/only-there", "#!/bin/sh\n");
  environment.variables["PATH"] = path + ":/bin";
  EXPECT_EQ(shared(Share::folder).env["PATH"], "/bin");
  server.command = "only-there";
  EXPECT_EQ(shared(Share::folder).env["PATH"], path + ":/bin");
}

TEST_F(SharedChild, of_a_short_list_is_not_that_of_an_environment) {
  const Launch full = shared(Share::folder);
  EXPECT_FALSE(full.short_list);
  EXPECT_THAT(full.not_in_key, IsEmpty());
  environment.variables = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/"}, {"LANG", "C"}};
  const Launch list = shared(Share::folder);
  EXPECT_TRUE(list.short_list);
  EXPECT_EQ(list.env, environment.variables);
  environment.variables.erase("LANG");
  EXPECT_EQ(shared(Share::folder).key(), list.key());
  environment.variables["TOKEN"] = "ann's";
  EXPECT_NE(shared(Share::folder).key(), list.key());
}

}  // namespace
}  // namespace pi_mcp::servers
