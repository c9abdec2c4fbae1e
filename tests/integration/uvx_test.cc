// A uvx tool with a script that plays uv: what is asked for behind the running server.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "servers/launch/stdio_connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;
using test::eventually;
using testing::ElementsAre;

// A home folder with uvx in PATH, which notes that it was asked and has the environment `made`.
class Uv {
 public:
  Uv() {
    program("bin/uvx",
            "echo \"$1\" >> " + folder_.file("asked") + "\n" +
                "while [ \"$1\" != /bin/sh ]; do shift; done\n" + "UV=/opt/uv PATH=$(cat " +
                folder_.file("made") + "):$PATH exec \"$@\"\n");
    make("one");
    make("two");
  }

  // The environment that uv finds from now on.
  void finds(const std::string& environment) const {
    std::ofstream(folder_.file("made")) << folder_.file(environment);
  }
  [[nodiscard]] Launch launch() const {
    Launch launch;
    launch.server = "s";
    launch.command = "uvx";
    launch.args = {"pkg"};
    launch.env = io::process_environment();
    launch.env["PATH"] = folder_.file("bin") + ":" + launch.env["PATH"];
    launch.env["HOME"] = folder_.path();
    launch.env.erase("PI_CODING_AGENT_DIR");
    launch.cwd = folder_.path();
    return launch;
  }
  void let_days_pass(int days) const {
    for (const auto& entry : fs::directory_iterator(folder_.file(".pi/agent/launch"))) {
      fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
    }
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& name) const {
    std::ifstream file(folder_.file(name));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
      lines.push_back(line);
    }
    return lines;
  }

 private:
  void make(const std::string& environment) const {
    program(environment + "/pkg",
            "echo " + environment + " >> " + folder_.file("started") +
                "\nexec " PI_MCP_FAKE_SERVER "\n");
    program(environment + "/python", "");
  }
  void program(const std::string& name, const std::string& script) const {
    const std::string path = folder_.file(name);
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << "#!/bin/sh\n" << script;
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
  }
  test::TempFolder folder_;
};

io::Task<bool> newer_version(io::Executor executor, const Uv* uv) {
  StdioConnector stdio(executor, {.check_delay = Milliseconds(0)});
  Pool pool(executor, {}, [&stdio](Launch launch) { return stdio.connect(std::move(launch)); });
  uv->finds("one");
  EXPECT_TRUE(co_await pool.acquire(uv->launch(), Use::on_demand));
  co_await pool.stop(uv->launch().key());
  uv->finds("two");
  uv->let_days_pass(2);
  EXPECT_TRUE(co_await pool.acquire(uv->launch(), Use::on_demand));
  EXPECT_TRUE(co_await eventually([uv] { return uv->lines("asked").size() == 2; }));
  co_await pool.stop(uv->launch().key());
  EXPECT_TRUE(co_await eventually([] { return test::child_processes().empty(); }));
  EXPECT_TRUE(co_await pool.acquire(uv->launch(), Use::on_demand));
  EXPECT_THAT(uv->lines("started"), ElementsAre("one", "one", "two"));
  EXPECT_EQ(uv->lines("asked").size(), 2U) << "once a day";
  co_await stdio.close();
  co_await pool.close();
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(UvxTools, a_newer_version_is_looked_for_behind_the_server_and_started_next_time) {
  const Uv uv;
  io::run([&](io::Executor executor) { return newer_version(std::move(executor), &uv); });
}

}  // namespace
}  // namespace pi_mcp::servers
