// Servers of 2026-07-28 behind HTTP, and how a server of before is told apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "support/remote_server.h"

namespace pi_mcp::servers {
namespace {

using test::http_answer;
using test::RemoteServer;
using test::SeenRequest;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr bool done = true;

std::string answer(const rpc::Message& request, const std::string& result) {
  return http_answer(
      "200 OK",
      "Content-Type: application/json",
      R"({"jsonrpc":"2.0","id":)" + request.id().json() + R"(,"result":)" + result + "}");
}

// What a server of 2026-07-28 says; nullopt: nothing, for ever.
std::optional<std::string> modern_answer(const SeenRequest& request) {
  const auto message = rpc::Message::parse(request.body);
  if (!message) {
    return http_answer("405 Method Not Allowed", "", "");
  }
  if (message->method() == "server/discover") {
    return answer(*message, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
  }
  if (message->method() == "tools/list") {
    return answer(*message,
                  R"({"tools":[{"name":"t","inputSchema":{"type":"object","properties":)"
                  R"({"region":{"type":"string","x-mcp-header":"Region"}}}}]})");
  }
  if (message->params().at({"arguments", "region"}).equals("later")) {
    return answer(*message, R"({"resultType":"task","taskId":"task 7","pollIntervalMs":1})");
  }
  if (message->method() == "tasks/get") {
    return answer(*message, R"({"resultType":"complete","status":"working","pollIntervalMs":1})");
  }
  if (message->params().at({"arguments", "region"}).equals("nowhere")) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  }
  return answer(*message, R"({"content":[]})");
}

// A pool with one server.
struct Far {
  explicit Far(const io::Executor& executor)
      : server(executor),
        connector(executor),
        pool(executor, {}, [this](Launch each) { return connector.connect(std::move(each)); }) {
    launch.server = "far";
    launch.remote.emplace();
    launch.remote->url = server.script.url("/mcp");
  }

  io::Task<std::string> ask(std::string region, Milliseconds limit = Milliseconds(10'000)) {
    co_return co_await call("t", R"({"region":")" + region + R"("})", limit);
  }
  io::Task<std::string> call(std::string tool,
                             std::string arguments = "{}",
                             Milliseconds limit = Milliseconds(10'000)) {
    const auto connection = co_await pool.acquire(launch, Use::on_demand);
    if (!connection) {
      co_return connection.error().message();
    }
    const SharedText params(R"({"name":")" + tool + R"(","arguments":)" + arguments + "}");
    CallOptions options;
    options.quiet_max = limit;
    const Result<rpc::Message> answer =
        co_await (*connection)->call("tools/call", params, std::move(options));
    co_return answer ? std::string(answer->root().raw()) : answer.error().message();
  }
  io::Task<void> close() {
    co_await connector.close();
    co_await pool.close();
    co_await server.script.close();
  }

  RemoteServer server;
  Launch launch;
  Connector connector;
  Pool pool;
};

io::Task<bool> whole_use(io::Executor executor) {
  Far far(executor);
  far.server.instead = modern_answer;
  EXPECT_THAT(co_await far.ask("us west"), HasSubstr("content"));
  EXPECT_THAT(far.server.story(), Not(Contains("initialize")));
  const SeenRequest* call = far.server.find("tools/call t");
  EXPECT_NE(call, nullptr);
  if (call != nullptr) {
    EXPECT_EQ(call->head.find("mcp-protocol-version"), "2026-07-28");
    EXPECT_EQ(call->head.find("mcp-method"), "tools/call");
    EXPECT_EQ(call->head.find("mcp-name"), "t");
    EXPECT_EQ(call->head.find("mcp-param-region"), "us west");
    EXPECT_EQ(call->head.find("mcp-session-id"), "");
  }
  co_await far.close();
  EXPECT_THAT(far.server.story(), Not(Contains("DELETE"))) << "there is no session to end";
  co_return done;
}
TEST(ModernRemote, is_used_without_handshake_and_session_and_with_its_headers) {
  io::run(whole_use);
}

// A server of both protocols, whose handshake gives a session or none.
std::optional<std::string> discovery_of_both(const SeenRequest& request) {
  const auto message = rpc::Message::parse(request.body);
  return message && message->method() == "server/discover"
             ? std::optional(answer(*message,
                                    R"({"supportedVersions":["2025-11-25","2026-07-28"],)"
                                    R"("capabilities":{"tools":{}}})"))
             : std::nullopt;
}

io::Task<bool> session_of_both(io::Executor executor) {
  Far far(executor);
  far.server.instead = discovery_of_both;
  EXPECT_THAT(co_await far.call("json"), HasSubstr("content"));
  EXPECT_EQ(far.server.sessions, 1) << "the one that was asked for goes on";
  EXPECT_THAT(far.server.story(),
              UnorderedElementsAre("server/discover",
                                   "initialize",
                                   "notifications/initialized",
                                   "GET",
                                   "tools/list",
                                   "tools/call json"));
  const SeenRequest* call = far.server.find("tools/call json");
  EXPECT_NE(call, nullptr);
  if (call != nullptr) {
    EXPECT_EQ(call->head.find("mcp-session-id"), "session-1");
    EXPECT_EQ(call->head.find("mcp-protocol-version"), "2025-11-25");
    EXPECT_EQ(call->head.find("mcp-method"), "");
  }
  co_await far.close();
  EXPECT_THAT(far.server.story(), Contains("DELETE"));
  co_return done;
}
TEST(ModernRemote, of_both_protocols_is_spoken_to_as_of_old_in_the_session_that_it_gives) {
  io::run(session_of_both);
}

io::Task<bool> no_session_of_both(io::Executor executor) {
  Far far(executor);
  far.server.has_sessions = false;
  far.server.instead = discovery_of_both;
  EXPECT_THAT(co_await far.call("json"), HasSubstr("content"));
  EXPECT_THAT(far.server.story(),
              ElementsAre("server/discover", "initialize", "tools/list", "tools/call json"));
  const SeenRequest* call = far.server.find("tools/call json");
  EXPECT_NE(call, nullptr);
  if (call != nullptr) {
    EXPECT_EQ(call->head.find("mcp-protocol-version"), "2026-07-28");
    EXPECT_EQ(call->head.find("mcp-method"), "tools/call");
  }
  co_await far.close();
  co_return done;
}
// As SDKs for Python and TypeScript are: the handshake is not said to be there.
io::Task<bool> hidden_sessions(io::Executor executor) {
  Far far(executor);
  far.server.instead = [](const SeenRequest& request) -> std::optional<std::string> {
    if (request.method == "GET" && request.head.find("mcp-session-id").empty()) {
      return http_answer("400 Bad Request", "", "Bad Request: Missing session ID");
    }
    const auto message = rpc::Message::parse(request.body);
    return message && message->method() == "server/discover"
               ? std::optional(answer(*message, R"({"supportedVersions":["2026-07-28"]})"))
               : std::nullopt;
  };
  EXPECT_THAT(co_await far.call("json"), HasSubstr("content"));
  EXPECT_EQ(far.server.sessions, 1);
  co_await far.close();
  co_return done;
}
TEST(ModernRemote, is_spoken_to_as_of_old_where_it_wants_a_session_of_whoever_has_none) {
  io::run(hidden_sessions);
}

TEST(ModernRemote, of_both_protocols_without_sessions_is_spoken_to_as_of_now) {
  io::run(no_session_of_both);
}

io::Task<bool> late_call(io::Executor executor) {
  Far far(executor);
  far.server.instead = modern_answer;
  EXPECT_THAT(co_await far.ask("nowhere", Milliseconds(100)), HasSubstr("no answer"));
  EXPECT_THAT(co_await far.ask("here"), HasSubstr("content"));
  EXPECT_THAT(far.server.story(), Not(Contains("notifications/cancelled")))
      << "the closed stream says it";
  co_await far.close();
  co_return done;
}
TEST(ModernRemote, is_sent_no_notification_when_a_call_is_given_up) {
  io::run(late_call);
}

io::Task<void> ask_into(Far* far, std::string* outcome) {
  *outcome = co_await far->ask("later");
}

io::Task<bool> cancelled_task(io::Executor executor) {
  Far far(executor);
  far.server.instead = modern_answer;
  std::string outcome;
  io::TaskGroup tasks(executor);
  const io::TaskGroup::TaskId call = tasks.spawn("call", ask_into(&far, &outcome), io::log_only);
  EXPECT_TRUE(
      co_await test::eventually([&far] { return far.server.find("tasks/get") != nullptr; }));
  tasks.cancel(call);
  co_await tasks.join();
  EXPECT_EQ(outcome, "cancelled");
  EXPECT_TRUE(
      co_await test::eventually([&far] { return far.server.find("tasks/cancel") != nullptr; }));
  const SeenRequest* cancel = far.server.find("tasks/cancel");
  if (cancel != nullptr) {
    EXPECT_EQ(cancel->head.find("mcp-method"), "tasks/cancel");
    EXPECT_EQ(cancel->head.find("mcp-name"), "task 7");
    EXPECT_THAT(cancel->body, HasSubstr(R"("taskId":"task 7")"));
  }
  co_await far.close();
  co_return done;
}
TEST(ModernRemote, is_told_to_cancel_the_task_of_a_cancelled_call) {
  io::run(cancelled_task);
}

io::Task<bool> earlier_servers(io::Executor executor) {
  for (const std::string& refusal :
       {http_answer("404 Not Found", "", "no such session"),
        http_answer("400 Bad Request", "Content-Type: text/plain", "what?"),
        http_answer("202 Accepted", "", ""),
        http_answer("200 OK", "Content-Type: application/json", R"({"jsonrpc":"2.0"})"),
        http_answer("400 Bad Request",
                    "Content-Type: application/json",
                    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}})")}) {
    Far far(executor);
    far.server.instead = [refusal](const SeenRequest& request) -> std::optional<std::string> {
      const auto message = rpc::Message::parse(request.body);
      return message && message->method() == "server/discover" ? std::optional(refusal)
                                                               : std::nullopt;
    };
    (void)co_await far.ask("x");
    EXPECT_THAT(far.server.story(), Contains("tools/list")) << refusal;
    const SeenRequest* initialize = far.server.find("initialize");
    EXPECT_NE(initialize, nullptr) << refusal;
    if (initialize != nullptr) {
      EXPECT_EQ(initialize->head.find("mcp-method"), "");
      EXPECT_EQ(initialize->head.find("mcp-protocol-version"), "");
      EXPECT_THAT(initialize->body, Not(HasSubstr("io.modelcontextprotocol")));
    }
    co_await far.close();
  }
  co_return done;
}
TEST(ModernRemote, is_told_apart_from_servers_that_want_a_handshake) {
  io::run(earlier_servers);
}

io::Task<bool> trouble(io::Executor executor) {
  for (const std::string& refusal : {http_answer("500 Internal Server Error", "", "oops"),
                                     http_answer("401 Unauthorized", "", "")}) {
    Far far(executor);
    far.server.instead = [refusal](const SeenRequest&) {
      return std::optional(refusal);
    };
    (void)co_await far.ask("x");
    EXPECT_THAT(far.server.story(), Not(Contains("initialize"))) << refusal;
    co_await far.close();
  }
  co_return done;
}
TEST(ModernRemote, is_not_taken_for_an_older_one_when_it_is_not_well) {
  io::run(trouble);
}

}  // namespace
}  // namespace pi_mcp::servers
