// A session over real processes: what becomes of calls when servers die between them.
#include <signal.h>

#include <gtest/gtest.h>

#include "gateway/gateway.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "json/writer.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::gateway {
namespace {

using test::eventually;
using test::TempFolder;

struct Fixture {
  Fixture(const io::Executor& executor, config::Server server) : gateway(executor) {
    config::Environment environment;
    for (const auto& [name, value] : io::process_environment()) {
      environment.variables[name] = value;
    }
    environment.cwd = folder.path();
    environment.home = folder.path();
    config::Settings settings;
    settings.agent_dir = folder.path();
    server.name = "s";
    server.command = PI_MCP_FAKE_SERVER;
    server.args = {"--tools", "all", "--pid-file", folder.file("pid")};
    server.entry_json = "{}";
    settings.servers.push_back(std::move(server));
    session = &gateway.open(std::move(settings), std::move(environment), {});
  }

  // The whole result as text.
  io::Task<std::string> call(std::string tool, std::string arguments) {
    const Result<json::Document> document =
        json::Document::parse(R"({"tool":)" + json::quoted(tool) + R"(,"args":)" + arguments + "}");
    auto request = tool::parse_tool_request(*document, document->root());
    const tool::Answer answer = co_await session->run(*std::move(request), {});
    co_return answer.passed.empty() ? session->text_of(answer, tool::Reader::model)
                                    : std::string(answer.passed.view());
  }

  io::Task<void> close() { co_await gateway.close(); }

  [[nodiscard]] std::vector<int> processes() const { return folder.numbers("pid"); }
  [[nodiscard]] servers::ServerStatus status() const { return session->status().front(); }

  TempFolder folder;
  Gateway gateway;
  Session* session = nullptr;  // of the gateway
};

io::Task<bool> killed_between_calls(io::Executor executor) {
  Fixture fixture(executor, {});
  for (int round = 0; round < 10; ++round) {
    EXPECT_NE((co_await fixture.call("s_pid", "{}")).find("\"text\""), std::string::npos);
    for (const int keeper : test::child_processes()) {
      (void)::kill(keeper, SIGKILL);
    }
    const int server = fixture.processes().back();
    (void)::kill(server, SIGKILL);
    // While it dies it may still take the call, and then nobody could repeat that.
    EXPECT_TRUE(test::gone_meanwhile(server));
    const std::string answer = co_await fixture.call("s_echo", R"({"text":"still here"})");
    EXPECT_NE(answer.find("still here"), std::string::npos) << answer;
    // Whoever is still there is used; whoever is not is replaced.
  }
  EXPECT_LE(fixture.processes().size(), 21U);
  co_await fixture.close();
  co_return true;
}

TEST(SessionProcesses, a_call_right_after_server_and_keeper_were_killed_is_answered) {
  io::run(killed_between_calls);
}

io::Task<bool> idle_server(io::Executor executor) {
  config::Server server;
  // Half a second: long beside what may pass between the start of a server and its first call on a
  // busy machine, which counts as idle.
  server.idle_timeout_minutes = 0.5 / 60;
  Fixture fixture(executor, std::move(server));
  co_await fixture.call("s_pid", "{}");
  EXPECT_EQ(fixture.processes().size(), 1U);
  const int first = fixture.processes().front();
  EXPECT_TRUE(co_await eventually([first] { return !test::is_alive(first); }));
  EXPECT_EQ(fixture.status().state, servers::ServerStatus::State::cached);
  const std::string answer = co_await fixture.call("s_echo", R"({"text":"again"})");
  EXPECT_NE(answer.find("again"), std::string::npos) << answer;
  EXPECT_EQ(fixture.processes().size(), 2U);
  co_await fixture.close();
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(SessionProcesses, row_49_an_idle_process_is_gone_after_its_time_and_the_next_call_respawns) {
  io::run(idle_server);
}

io::Task<bool> kept_server(io::Executor executor) {
  config::Server server;
  server.lifecycle = config::LifecycleMode::keep_alive;
  Fixture fixture(executor, std::move(server));
  co_await fixture.session->warm_up();
  const auto connected = [&fixture] {
    return fixture.status().state == servers::ServerStatus::State::connected;
  };
  EXPECT_TRUE(co_await eventually(connected));
  (void)::kill(fixture.processes().back(), SIGKILL);
  EXPECT_TRUE(co_await eventually([&] { return fixture.processes().size() == 2 && connected(); }));
  EXPECT_EQ(fixture.status().process_id, fixture.processes().back());
  co_await fixture.close();
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(SessionProcesses, row_48_a_killed_server_that_is_kept_alive_comes_back_without_a_call) {
  io::run(kept_server);
}

}  // namespace
}  // namespace pi_mcp::gateway
