// npx packages with programs that play npm and node: what is started, and what is looked for behind
// it.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "servers/launch/npx_cache.h"
#include "servers/launch/stdio_connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;
using test::eventually;
using testing::ElementsAre;
using testing::HasSubstr;

// A home folder where npm has installed pkg@latest in version 1.0.0 some days ago, and a PATH with
// a node that notes what it runs and becomes the scripted server.
class Npm {
 public:
  Npm() {
    program("node",
            "[ \"$1\" = -e ] && exit 0\n"
            "echo \"$1\" >> " +
                folder_.file("started") + "\nexec " PI_MCP_FAKE_SERVER "\n");
  }

  // A script of this name, in front of the real PATH.
  void program(const std::string& name, const std::string& script) const {
    fs::create_directories(folder_.file("bin"));
    const std::string path = folder_.file("bin/" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script;
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
  }

  // npm that says that `version` is the newest, and installs it. Notes its arguments and priority.
  void newest(const std::string& version) const {
    const std::string modules = folder_of("pkg@" + version);
    program("npm",
            "echo \"$*\" >> " + folder_.file("npm") + "\n" +                             //
                "cut -d' ' -f19 /proc/self/stat > " + folder_.file("priority") + "\n" +  //
                "if [ \"$1\" = view ]; then echo '{\"version\":\"" + version +           //
                "\",\"dist-tags.latest\":\"" + version + "\"}'; exit; fi\n" +            //
                "mkdir -p " + modules + "/pkg\n" +                                       //
                "echo '{\"name\":\"pkg\",\"version\":\"" + version + "\",\"bin\":\"cli.js\"}' > " +
                modules + "/pkg/package.json\n" +        //
                "echo > " + modules + "/pkg/cli.js\n" +  //
                "echo > " + modules + "/.package-lock.json\n");
  }

  void install(const std::string& spec, const std::string& version, int days_ago) const {
    const std::string modules = folder_of(spec);
    fs::create_directories(modules + "/pkg");
    std::ofstream(modules + "/pkg/package.json")
        << R"({"name":"pkg","version":")" << version << R"(","bin":"cli.js"})";
    std::ofstream(modules + "/pkg/cli.js") << "\n";
    std::ofstream(modules + "/.package-lock.json") << "{}";
    fs::last_write_time(modules + "/.package-lock.json",
                        fs::file_time_type::clock::now() - std::chrono::hours(24 * days_ago));
  }

  [[nodiscard]] Launch launch() const {
    Launch launch;
    launch.server = "s";
    launch.command = "npx";
    launch.args = {"-y", "pkg@latest"};
    launch.env = io::process_environment();
    launch.env["PATH"] = folder_.file("bin") + ":" + launch.env["PATH"];
    launch.env["HOME"] = folder_.path();
    for (const char* name : {"NPM_CONFIG_CACHE", "npm_config_cache", "PI_CODING_AGENT_DIR"}) {
      launch.env.erase(name);
    }
    launch.cwd = folder_.path();
    return launch;
  }

  [[nodiscard]] std::optional<NpxCacheEntry> entry() const {
    return npx_cache_entry(folder_.text(".pi/agent/mcp-npx-cache.json"),
                           R"(["npx","pkg@latest",""])");
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const {
    std::ifstream file(folder_.file(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
      lines.push_back(line);
    }
    return lines;
  }
  [[nodiscard]] std::string program_of(const std::string& spec) const {
    return folder_of(spec) + "/pkg/cli.js";
  }
  [[nodiscard]] const test::TempFolder& folder() const { return folder_; }

 private:
  [[nodiscard]] std::string folder_of(const std::string& spec) const {
    return folder_.path() + "/.npm/_npx/" +
           packages::npx_folder_name(*packages::parse_package_spec(spec)) + "/node_modules";
  }
  test::TempFolder folder_;
};

// Servers as the product starts them, with checks that do not wait.
struct Servers {
  explicit Servers(const io::Executor& executor)
      : stdio(executor, {.check_delay = Milliseconds(0)}),
        pool(executor, {}, [this](Launch launch) { return stdio.connect(std::move(launch)); }) {}

  io::Task<std::string> start(Launch launch) {
    const auto connection = co_await pool.acquire(std::move(launch), Use::on_demand);
    co_return connection ? "ok" : connection.error().message();
  }
  io::Task<void> close() {
    co_await stdio.close();
    co_await pool.close();
  }

  StdioConnector stdio;
  Pool pool;
};

io::Task<bool> newer_version(io::Executor executor, const Npm* npm) {
  npm->install("pkg@latest", "1.0.0", 2);
  npm->newest("1.1.0");
  Servers servers(executor);
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  EXPECT_THAT(npm->lines("started"), ElementsAre(npm->program_of("pkg@latest")));
  const auto checked = [npm] {
    return npm->entry() && npm->entry()->version == "1.1.0";
  };
  EXPECT_TRUE(co_await eventually(checked));
  EXPECT_THAT(npm->lines("npm"),
              ElementsAre("view pkg@latest version dist-tags.latest --json",
                          "exec --yes --package=pkg@1.1.0 -- node -e 0"));
  EXPECT_THAT(npm->lines("priority"), ElementsAre("19"));
  EXPECT_TRUE(fs::exists(npm->program_of("pkg@latest"))) << "a running server keeps its files";
  co_await servers.pool.stop(npm->launch().key());
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  EXPECT_EQ(npm->lines("started").back(), npm->program_of("pkg@1.1.0"));
  EXPECT_EQ(npm->lines("npm").size(), 2U) << "once a day";
  co_await servers.close();
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(NpxPackages, a_newer_version_is_installed_behind_the_server_and_started_next_time) {
  const Npm npm;
  io::run([&](io::Executor executor) { return newer_version(std::move(executor), &npm); });
}

io::Task<bool> same_version(io::Executor executor, const Npm* npm) {
  npm->install("pkg@latest", "1.0.0", 2);
  npm->newest("1.0.0");
  Servers servers(executor);
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  const auto checked = [npm] {
    return npm->entry() && age_ms(npm->entry()->resolved_at, io::epoch_now()) < 3'600'000;
  };
  EXPECT_TRUE(co_await eventually(checked));
  EXPECT_THAT(npm->lines("npm"), ElementsAre(HasSubstr("view")));
  co_await servers.close();
  co_return true;
}

TEST(NpxPackages, the_same_version_is_only_noted) {
  const Npm npm;
  io::run([&](io::Executor executor) { return same_version(std::move(executor), &npm); });
}

io::Task<bool> failing_npm(io::Executor executor, const Npm* npm) {
  npm->install("pkg@latest", "1.0.0", 2);
  npm->program("npm", "echo x >> " + npm->folder().file("npm") + "; exit 1\n");
  Servers servers(executor);
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  EXPECT_TRUE(co_await eventually([npm] { return !npm->lines("npm").empty(); }));
  co_await servers.pool.stop(npm->launch().key());
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  co_await servers.close();
  EXPECT_EQ(npm->lines("npm").size(), 1U) << "the next try comes in an hour";
  EXPECT_THAT(npm->lines("started"),
              ElementsAre(npm->program_of("pkg@latest"), npm->program_of("pkg@latest")));
  co_return true;
}

TEST(NpxPackages, without_the_registry_the_installed_version_goes_on_being_started) {
  const Npm npm;
  io::run([&](io::Executor executor) { return failing_npm(std::move(executor), &npm); });
}

io::Task<bool> hanging_npm(io::Executor executor, const Npm* npm) {
  npm->install("pkg@latest", "1.0.0", 2);
  npm->program("npm",
               "trap '' TERM HUP; echo $$ > " + npm->folder().file("pid") +
                   "\ncat\n"
                   "while :; do sleep 60; done\n");
  Servers servers(executor);
  EXPECT_EQ(co_await servers.start(npm->launch()), "ok");
  EXPECT_TRUE(co_await eventually([npm] { return npm->folder().numbers("pid").size() == 1; }));
  const TimePoint begun = io::now();
  co_await servers.close();
  EXPECT_LT(io::now() - begun, Milliseconds(4000));
  EXPECT_FALSE(test::is_alive(npm->folder().numbers("pid").at(0)));
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(NpxPackages, a_check_that_hangs_ends_with_us) {
  const Npm npm;
  io::run([&](io::Executor executor) { return hanging_npm(std::move(executor), &npm); });
}

}  // namespace
}  // namespace pi_mcp::servers
