// What an HTTP server may send: over a limit the call fails, by itself and at once, and the link
// goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "servers/link/live_connection.h"
#include "support/processes.h"
#include "support/remote_server.h"
#include "transport/http/http_transport.h"

namespace pi_mcp::servers {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr std::size_t bytes_max = std::size_t{128} << 10U;

// One link with small limits.
struct Limited {
  explicit Limited(const io::Executor& on) : server(on) {
    transport::HttpTransportOptions options;
    options.name = "far";
    options.url = server.script.url("/mcp");
    options.message_bytes_max = bytes_max;
    auto link = transport::make_http_transport(on, std::move(options));
    EXPECT_TRUE(link);
    LiveConnection::Options named;
    named.link.server = "far";
    connection = std::make_unique<LiveConnection>(
        on, *std::move(link), std::move(named), ConnectionEvents());
  }
  // "ok" or the error.
  io::Task<std::string> call(std::string tool, Milliseconds limit = test::patience) {
    CallOptions options;
    options.quiet_max = limit;
    const auto answer = co_await connection->call(
        "tools/call",
        SharedText(R"({"name":)" + json::quoted(tool) + R"(,"arguments":{}})"),
        std::move(options));
    if (!answer) {
      co_return answer.error().message();
    }
    const json::Value error = answer->error();
    co_return error ? error.find("message").string_or("?") : "ok";
  }

  test::RemoteServer server;
  std::unique_ptr<LiveConnection> connection;
};

io::Task<bool> over_every_limit(io::Executor executor) {
  Limited far(executor);
  const Result<void> opened = co_await far.connection->open(io::now() + test::patience);
  EXPECT_TRUE(opened);
  for (const char* tool : {"large", "large_head", "endless_event", "endless_stream"}) {
    const std::string said = co_await far.call(tool);
    EXPECT_NE(said, "ok") << tool;
    EXPECT_THAT(said, AnyOf(HasSubstr("KB"), HasSubstr("limit"), HasSubstr("larger"))) << tool;
    EXPECT_EQ(said.find("no answer"), std::string::npos) << tool << ": " << said;
    EXPECT_EQ(co_await far.call("json"), "ok") << "after " << tool;
  }
  const std::string dripped = co_await far.call("drip", Milliseconds(100));
  EXPECT_THAT(dripped, HasSubstr("no answer to tools/call within 100 ms"));
  EXPECT_EQ(co_await far.call("json"), "ok");
  co_await far.connection->close();
  co_await far.server.script.close();
  co_return true;
}

TEST(Limits, what_exceeds_one_fails_its_own_call_at_once) {
  io::run(over_every_limit);
}

io::Task<bool> slow_but_moving(io::Executor executor) {
  Limited far(executor);
  const Result<void> opened = co_await far.connection->open(io::now() + test::patience);
  EXPECT_TRUE(opened);
  for (const char* tool : {"slow_json", "slow_event"}) {
    EXPECT_EQ(co_await far.call(tool, far.server.slow_for / 2), "ok") << tool;
  }
  co_await far.connection->close();
  co_await far.server.script.close();
  co_return true;
}

TEST(Limits, the_time_of_a_request_does_not_run_while_its_answer_arrives) {
  io::run(slow_but_moving);
}

io::Task<bool> busy_until_a_date(io::Executor executor) {
  Limited far(executor);
  const Result<void> opened = co_await far.connection->open(io::now() + test::patience);
  EXPECT_TRUE(opened);
  int refused = 0;
  far.server.instead = [&refused](const test::SeenRequest& request) -> std::optional<std::string> {
    if (request.body.find("tools/call") == std::string::npos || ++refused > 1) {
      return std::nullopt;
    }
    return test::http_answer(
        "503 Service Unavailable", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT", "");
  };
  EXPECT_EQ(co_await far.call("json"), "ok") << "that date has passed";
  EXPECT_EQ(refused, 2);
  co_await far.connection->close();
  co_await far.server.script.close();
  co_return true;
}

TEST(Limits, a_busy_server_may_give_a_date) {
  io::run(busy_until_a_date);
}

}  // namespace
}  // namespace pi_mcp::servers
