// What servers ask their client, over real links: it reaches the host whose call caused it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "support/remote_server.h"
#include "support/scripted_host.h"
#include "test_programs.h"

namespace pi_mcp::servers {
namespace {

using test::eventually;
using test::RemoteServer;
using test::ScriptedHost;
using testing::ElementsAre;
using testing::HasSubstr;

struct Asking {
  explicit Asking(const io::Executor& executor)
      : connector(executor),
        pool(executor, {}, [this](Launch each) { return connector.connect(std::move(each)); }),
        tasks(executor) {
    launch.server = "s";
    launch.features = ScriptedHost().features();
  }

  // The text of the answer of a tool that asks, for a host.
  io::Task<void> call_into(std::string* into,
                           std::shared_ptr<ScriptedHost> host,
                           std::string call) {
    const auto connection = co_await pool.acquire(launch, Use::on_demand);
    if (!connection) {
      *into = connection.error().message();
      co_return;
    }
    CallOptions options;
    options.quiet_max = test::patience;
    options.host = host;
    const auto answer =
        co_await (*connection)->call("tools/call", SharedText(std::move(call)), options);
    *into = answer ? answer->result().find("content").element(0).find("text").string_or("?")
                   : answer.error().message();
  }
  io::Task<void> close() {
    co_await tasks.join();
    co_await connector.close();
    co_await pool.close();
  }

  Launch launch;
  Connector connector;
  Pool pool;
  io::TaskGroup tasks;
};

io::Task<bool> two_hosts_over_http(io::Executor executor) {
  RemoteServer server(executor);
  Asking asking(executor);
  asking.launch.remote.emplace();
  asking.launch.remote->url = server.script.url("/mcp");
  const auto first = std::make_shared<ScriptedHost>();
  const auto second = std::make_shared<ScriptedHost>();
  const std::string call = R"({"name":"ask","arguments":{}})";
  std::string one;
  std::string two;
  asking.tasks.spawn("one", asking.call_into(&one, first, call), io::log_only);
  asking.tasks.spawn("two", asking.call_into(&two, second, call), io::log_only);
  const bool both =
      co_await eventually([&] { return first->asked.size() == 1 && second->asked.size() == 1; });
  EXPECT_TRUE(both) << "each on the stream of its own call";
  second->answer(R"({"action":"accept","content":{"of":"two"}})");
  const bool told = co_await eventually([&] { return !two.empty(); });
  EXPECT_TRUE(told);
  EXPECT_THAT(two, HasSubstr(R"("of":"two")"));
  EXPECT_EQ(one, "");
  first->answer(R"({"action":"decline"})");
  co_await asking.close();
  EXPECT_EQ(one, R"({"action":"decline"})");
  co_await server.script.close();
  co_return true;
}

TEST(ServerRequests, over_http_they_reach_the_host_on_whose_stream_they_came) {
  io::run(two_hosts_over_http);
}

io::Task<bool> over_pipes(io::Executor executor) {
  Asking asking(executor);
  asking.launch.command = PI_MCP_FAKE_SERVER;
  asking.launch.cwd = "/";
  const auto host = std::make_shared<ScriptedHost>();
  host->result = R"({"roots":[{"uri":"file:///srv"}]})";
  std::string answer;
  asking.tasks.spawn(
      "call",
      asking.call_into(&answer, host, R"({"name":"ask","arguments":{"method":"roots/list"}})"),
      io::log_only);
  co_await asking.close();
  EXPECT_EQ(answer, host->result);
  EXPECT_THAT(host->asked, ElementsAre(R"(roots/list {"_meta":{"pi-mcp/server":"s"}})"));
  co_return true;
}

TEST(ServerRequests, over_pipes_they_reach_the_host_that_has_a_call_under_way) {
  io::run(over_pipes);
}

io::Task<bool> two_hosts_over_pipes(io::Executor executor) {
  Asking asking(executor);
  asking.launch.command = PI_MCP_FAKE_SERVER;
  asking.launch.cwd = "/";
  const auto first = std::make_shared<ScriptedHost>();
  const auto second = std::make_shared<ScriptedHost>();
  const std::string call = R"({"name":"ask","arguments":{"method":"elicitation/create"}})";
  std::string one;
  std::string two;
  asking.tasks.spawn("one", asking.call_into(&one, first, call), io::log_only);
  const bool asked = co_await eventually([&] { return first->asked.size() == 1; });
  EXPECT_TRUE(asked);
  asking.tasks.spawn("two", asking.call_into(&two, second, call), io::log_only);
  const bool refused = co_await eventually([&] { return !two.empty(); });
  EXPECT_TRUE(refused);
  EXPECT_THAT(two, HasSubstr("more than one session"));
  EXPECT_TRUE(second->asked.empty()) << "a question of another call must not reach it";
  first->answer(R"({"action":"cancel"})");
  co_await asking.close();
  EXPECT_EQ(one, R"({"action":"cancel"})");
  co_return true;
}

TEST(ServerRequests, over_pipes_they_are_refused_where_two_hosts_have_calls) {
  io::run(two_hosts_over_pipes);
}

}  // namespace
}  // namespace pi_mcp::servers
