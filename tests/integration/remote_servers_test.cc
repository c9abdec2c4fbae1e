// Servers behind a url or a socket, through the connector and the pool, against a scripted server
// that misbehaves.
#include <sys/un.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "support/remote_server.h"

namespace pi_mcp::servers {
namespace {

using test::eventually;
using test::http_answer;
using test::RemoteServer;
using test::SeenRequest;
using test::TempFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A pool with one server, "far".
struct Far {
  explicit Far(const io::Executor& executor)
      : server(executor),
        connector(executor),
        pool(executor, {}, [this](Launch each) { return connector.connect(std::move(each)); }),
        tasks(executor) {
    launch.server = "far";
    launch.protocol = mcp::Protocol::handshake;  // the others: modern_remote_test.cc
    launch.remote.emplace();
    launch.remote->url = server.script.url("/mcp?key=planted-secret");
    launch.remote->headers = {{"X-Key", "planted-secret-header"}};
  }

  io::Task<Result<std::shared_ptr<Connection>>> open() {
    return pool.acquire(launch, Use::on_demand);
  }
  // "ok" or the reason.
  io::Task<std::string> opening() {
    const auto connection = co_await open();
    co_return connection ? "ok" : connection.error().message();
  }
  // The text of a tool's answer, or the error.
  io::Task<std::string> ask(std::string tool, Milliseconds limit = test::patience) {
    const auto connection = co_await open();
    if (!connection) {
      co_return connection.error().message();
    }
    CallOptions options;
    options.quiet_max = limit;
    const Result<rpc::Message> answer =
        co_await (*connection)
            ->call("tools/call",
                   SharedText(R"({"name":)" + json::quoted(tool) + R"(,"arguments":{}})"),
                   options);
    if (!answer) {
      co_return answer.error().message();
    }
    co_return answer->result().find("content").element(0).find("text").string_or(
        answer->error().find("message").string_or("?"));
  }
  io::Task<void> ask_into(std::string* into, std::string tool) {
    *into = co_await ask(std::move(tool));
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
  io::TaskGroup tasks;
};

io::Task<bool> closed(Far* far) {
  co_await far->close();
  co_return true;
}

void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

io::Task<bool> a_whole_session(io::Executor executor) {
  Far far(executor);
  EXPECT_EQ(co_await far.ask("json"), "json");
  EXPECT_EQ(co_await far.ask("events"), "events");
  EXPECT_EQ(co_await far.ask("batch"), "batch");
  const bool asked = co_await eventually([&far] { return far.server.find("GET") != nullptr; });
  EXPECT_TRUE(asked);
  co_await far.pool.close();
  EXPECT_EQ(far.server.sessions, 1);
  const SeenRequest* first = far.server.find("initialize");
  EXPECT_EQ(first->head.find("mcp-protocol-version"), "");
  EXPECT_EQ(first->head.find("mcp-session-id"), "");
  EXPECT_EQ(first->head.find("accept"), "application/json, text/event-stream");
  const SeenRequest* call = far.server.find("tools/call json");
  EXPECT_EQ(call->head.find("mcp-protocol-version"), "2025-11-25");
  EXPECT_EQ(call->head.find("mcp-session-id"), "session-1");
  EXPECT_EQ(call->head.find("x-key"), "planted-secret-header");
  EXPECT_EQ(call->target, "/mcp?key=planted-secret");
  const SeenRequest* end = far.server.find("DELETE");
  EXPECT_TRUE(end != nullptr && end->head.find("mcp-session-id") == "session-1");
  const auto story = far.server.story();
  EXPECT_EQ(story.at(0), "initialize");
  EXPECT_EQ(story.at(1), "notifications/initialized");
  co_return co_await closed(&far);
}

TEST(RemoteServers, one_handshake_then_calls_answered_as_json_or_as_events) {
  run(a_whole_session);
}

io::Task<bool> a_resumed_answer(io::Executor executor) {
  Far far(executor);
  const TimePoint began = io::now();
  EXPECT_EQ(co_await far.ask("resume"), "resume");
  EXPECT_GE(io::now() - began, Milliseconds(60));
  EXPECT_EQ(far.server.find("tools/call resume")->method, "POST");
  bool resumed = false;
  for (const SeenRequest& request : far.server.seen) {
    resumed = resumed || request.head.find("last-event-id") == "e-1";
  }
  EXPECT_TRUE(resumed);
  co_return co_await closed(&far);
}

TEST(RemoteServers, an_answer_that_breaks_off_is_resumed_after_the_time_the_server_wants) {
  run(a_resumed_answer);
}

io::Task<bool> a_cut_answer(io::Executor executor) {
  Far far(executor);
  EXPECT_THAT(co_await far.ask("cut"),
              HasSubstr("the connection ended before the answer came; whether the call was done"));
  EXPECT_EQ(co_await far.ask("json"), "json");
  const auto story = far.server.story();
  EXPECT_EQ(std::count(story.begin(), story.end(), "tools/call cut"), 1);
  co_return co_await closed(&far);
}

TEST(RemoteServers, an_answer_that_cannot_be_resumed_fails_its_own_call_and_is_not_repeated) {
  run(a_cut_answer);
}

io::Task<bool> a_lost_session(io::Executor executor) {
  Far far(executor);
  EXPECT_EQ(co_await far.ask("json"), "json");
  far.server.forget();
  std::string first;
  std::string second;
  far.tasks.spawn("call", far.ask_into(&first, "json"), io::log_only);
  far.tasks.spawn("call", far.ask_into(&second, "events"), io::log_only);
  co_await far.tasks.join();
  EXPECT_EQ(first, "json");
  EXPECT_EQ(second, "events");
  EXPECT_EQ(far.server.sessions, 2);
  // A server that forgets at once again is not asked a third time.
  far.server.forget();
  far.server.instead = [](const SeenRequest& request) -> std::optional<std::string> {
    const bool is_call = request.body.find("tools/call") != std::string::npos;
    return is_call ? std::optional(http_answer("404 Not Found", "", "")) : std::nullopt;
  };
  EXPECT_THAT(co_await far.ask("json"), HasSubstr("404"));
  EXPECT_EQ(far.server.sessions, 3);
  co_return co_await closed(&far);
}

TEST(RemoteServers, a_lost_session_is_renewed_once_and_the_call_repeated) {
  run(a_lost_session);
}

io::Task<bool> calls_at_once(io::Executor executor) {
  Far far(executor);
  const std::string words = R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":)"
                            R"("Bad Request: No valid session ID provided"}})";
  const std::string json = "Content-Type: application/json";
  const std::string answers[] = {
      http_answer("404 Not Found", "", "no such session"),
      http_answer("400 Bad Request", json, words),
      http_answer("400 Bad Request", "Content-Type: text/plain", "Invalid session ID\n")};
  EXPECT_EQ(co_await far.ask("json"), "json");
  for (const std::string& answer : answers) {
    for (const std::size_t count : {8U, 16U, 64U}) {
      const int before = far.server.sessions;
      far.server.wrong_session = answer;
      far.server.forget();
      std::vector<std::string> said(count);
      for (std::string& each : said) {
        far.tasks.spawn("call", far.ask_into(&each, "json"), io::log_only);
      }
      co_await far.tasks.join();
      EXPECT_THAT(said, testing::Each("json")) << answer;
      EXPECT_EQ(far.server.sessions, before + 1);
    }
  }
  EXPECT_EQ(far.server.unnamed_sessions, 0);
  co_return co_await closed(&far);
}

TEST(RemoteServers, calls_that_come_while_a_session_is_renewed_wait_for_it) {
  run(calls_at_once);
}

io::Task<bool> an_older_server(io::Executor executor) {
  Far far(executor);
  far.server.is_older = true;
  EXPECT_EQ(co_await far.ask("json"), "older");
  EXPECT_THAT(co_await far.ask("cut"), HasSubstr("the server ended its event stream"));
  EXPECT_EQ(far.pool.status(far.launch.key()).state, LifecycleState::stopped);
  EXPECT_EQ(co_await far.ask("json"), "older");
  far.launch.remote->kind = config::HttpTransport::streamable_http;
  EXPECT_THAT(co_await far.opening(), HasSubstr("\"httpTransport\": \"sse\""));
  co_return co_await closed(&far);
}

TEST(RemoteServers, an_older_server_is_found_by_its_refusal_unless_the_kind_is_pinned) {
  run(an_older_server);
}

io::Task<bool> an_older_server_with_400(io::Executor executor) {
  Far far(executor);
  far.server.is_older = true;
  far.server.not_older = http_answer("400 Bad", "Content-Type: text/plain", "sessionid, please\n");
  EXPECT_EQ(co_await far.ask("json"), "older");
  far.server.instead = [&far](const SeenRequest& request) {
    return request.method == "GET" ? std::optional(far.server.not_older) : std::nullopt;
  };
  co_await far.pool.stop(far.launch.key());
  EXPECT_THAT(co_await far.opening(),
              HasSubstr("status 400: sessionid, please; nor does it work as an older server "
                        "(\"type\": \"sse\")"));
  co_return co_await closed(&far);
}

TEST(RemoteServers, an_older_server_may_refuse_with_400) {
  run(an_older_server_with_400);
}

// Answers every request with this.
void always(Far& far, const std::string& answer) {
  far.server.instead = [answer](const SeenRequest&) {
    return std::optional(answer);
  };
}

io::Task<bool> refusals(io::Executor executor) {
  Far far(executor);
  const std::string page = "Content-Type: text/html; charset=utf-8";
  const struct {
    std::string answer;
    std::string says;
  } cases[] = {
      {http_answer("200 OK", page, "<html>"), "it answers with a web page (status 200)"},
      {http_answer("404 Not Found", page, "<html>"), "it answers with a web page (status 404)"},
      {http_answer("404 Not Found", "", ""), "there is no MCP endpoint at this url (status 404)"},
      {http_answer("200 OK", "Content-Type: text/plain", "hi"),
       "its answer is neither JSON nor an event stream but text/plain"},
      {http_answer("200 OK", "Content-Type: application/json", R"({"status":"up"})"),
       "its answer is no MCP message"},
      {http_answer("500 Oops", "Content-Type: application/json", R"({"error":"broken"})"),
       "it answers with status 500: broken"},
      {http_answer("202 Accepted", "", ""), "it took the request (status 202) and gave no answer"},
      {http_answer("302 Found", "Location: https://other.example.com/planted", ""),
       "it redirects to https://other.example.com, which must not get its credentials"},
      {http_answer("307 Again", "Location: /mcp", ""), "it redirects in a circle"},
      {http_answer("503 Busy", "Retry-After: 3600", ""),
       "the server is busy (status 503); it asks to try again in 3600 s"},
      {http_answer("400 Bad", "", R"({"message":"bad X-Key planted-secret-header"})"),
       "it answers with status 400: bad X-Key ***"},
      {http_answer("403 No", "", "Only at localhost:4990\r\nplanted"),
       "it refuses this request (status 403): Only at localhost:4990"},
      {http_answer("500 Oops", "Content-Type: text/plain", "you sent planted-secret-header"),
       "it answers with status 500: you sent ***"},
      {http_answer("500 Oops", "", std::string(290, 'a') + " planted-secret-header"),
       "it answers with status 500: aaaa"},
      {http_answer("429 Busy", "", "ask for planted-secret-header"),
       "the server is busy (status 429): ask for ***; try again later"},
      {http_answer("200 OK", "Content-Encoding: gzip\r\nContent-Type: application/json", "\x1f"),
       "its answer is packed (Content-Encoding: gzip)"},
  };
  for (const auto& each : cases) {
    always(far, each.answer);
    const std::string text = co_await far.opening();
    EXPECT_THAT(text, HasSubstr(each.says));
    EXPECT_THAT(text, Not(HasSubstr("planted")));
    EXPECT_THAT(text, Not(HasSubstr("stderr")));
  }
  co_return co_await closed(&far);
}

TEST(RemoteServers, an_endpoint_that_is_none_is_described_in_a_sentence_without_secrets) {
  run(refusals);
}

io::Task<bool> unauthorized(io::Executor executor) {
  Far far(executor);
  always(far, http_answer("401 No", "WWW-Authenticate: Bearer", ""));
  const auto refused = co_await far.open();
  EXPECT_EQ(refused.error().code(), ErrorCode::unauthorized);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("it refuses the credentials in its configuration (status 401)"));
  co_return co_await closed(&far);
}

TEST(RemoteServers, wanted_credentials_are_an_error_of_their_own) {
  run(unauthorized);
}

io::Task<bool> busy_for_a_moment(io::Executor executor) {
  Far far(executor);
  const auto times = std::make_shared<int>(0);
  far.server.instead = [times](const SeenRequest&) {
    return ++*times <= 2 ? std::optional(http_answer("503 Busy", "Retry-After: 0", ""))
                         : std::nullopt;
  };
  EXPECT_EQ(co_await far.ask("json"), "json");
  co_return co_await closed(&far);
}

TEST(RemoteServers, a_server_that_is_busy_for_a_moment_is_asked_again) {
  run(busy_for_a_moment);
}

io::Task<bool> moved(io::Executor executor) {
  Far far(executor);
  far.server.instead = [](const SeenRequest& request) {
    return request.target == "/new" ? std::nullopt
                                    : std::optional(http_answer("308 Moved", "Location: /new", ""));
  };
  EXPECT_EQ(co_await far.ask("json"), "json");
  co_return co_await closed(&far);
}

TEST(RemoteServers, redirects_inside_the_origin_are_followed) {
  run(moved);
}

io::Task<bool> a_hung_call(io::Executor executor) {
  Far far(executor);
  for (const char* tool : {"hang", "drip", "endless_stream"}) {
    std::string slow;
    const auto connection = co_await far.open();
    EXPECT_TRUE(connection);
    far.tasks.spawn("call", far.ask_into(&slow, tool), io::log_only);
    EXPECT_EQ(co_await far.ask("json"), "json") << tool;
    EXPECT_EQ(slow, "");
    EXPECT_THAT(co_await far.ask(tool, Milliseconds(50)), StartsWith("no answer to tools/call"));
    far.tasks.cancel();
    co_await far.tasks.join();
  }
  const bool told =
      co_await eventually([&far] { return far.server.find("notifications/cancelled") != nullptr; });
  EXPECT_TRUE(told);
  co_return co_await closed(&far);
}

TEST(RemoteServers, a_call_that_hangs_or_drips_holds_up_no_other_and_is_cancelled_at_the_server) {
  run(a_hung_call);
}

io::Task<bool> a_stream_of_its_own(io::Executor executor) {
  Far far(executor);
  far.server.has_stream = true;
  int notes = 0;
  ConnectionEvents events;
  events.log_message = [&notes](json::Value, const void*) {
    ++notes;
  };
  Lease lease;
  lease.events = std::move(events);
  far.pool.lease(far.launch.key(), &far, std::move(lease));
  EXPECT_EQ(co_await far.opening(), "ok");
  const bool told = co_await eventually([&notes] { return notes > 0; });
  EXPECT_TRUE(told);
  far.pool.release(&far);
  co_return co_await closed(&far);
}

TEST(RemoteServers, what_the_server_says_by_itself_arrives) {
  run(a_stream_of_its_own);
}

// A server at a Unix socket: answers every line it can with one of the remote server's kind.
io::Task<void> serve_lines(io::Executor executor, int listener) {
  io::ReadStream ready(executor, io::Fd(::dup(listener)));
  const Result<void> waited = co_await ready.wait_for_bytes();
  if (!waited) {
    co_return;
  }
  const auto socket = io::make_plain_socket(
      executor, io::Fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
  std::string unread;
  std::array<char, 4096> space{};
  for (;;) {
    const auto count = co_await socket->read_some(space);
    if (!count || *count == 0) {
      co_return;
    }
    unread.append(space.data(), *count);
    for (std::size_t end = 0; (end = unread.find('\n')) != std::string::npos;) {
      const auto message = rpc::Message::parse(unread.substr(0, end));
      unread.erase(0, end + 1);
      std::string result = R"({"tools":[]})";
      if (message->method() == "initialize") {
        result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                 R"("serverInfo":{"name":"socket","version":"1"}})";
      } else if (message->method() == "tools/call") {
        result = R"({"content":[{"type":"text","text":"by socket"}]})";
      }
      if (message->id().exists()) {
        const std::string line =
            R"({"jsonrpc":"2.0","id":)" + message->id().json() + R"(,"result":)" + result + "}\n";
        (void)co_await socket->write_all(line);
      }
    }
  }
}

io::Task<bool> by_socket(io::Executor executor) {
  Far far(executor);
  const TempFolder folder;
  far.launch.remote.reset();
  far.launch.socket = folder.file("s.sock");
  EXPECT_THAT(co_await far.opening(), HasSubstr("the socket " + far.launch.socket + ": No such"));
  const io::Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  far.launch.socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  EXPECT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  far.tasks.spawn("server", serve_lines(executor, listener.get()), io::log_only);
  EXPECT_EQ(co_await far.ask("any"), "by socket");
  far.tasks.cancel();
  co_await far.tasks.join();
  const bool ended = co_await eventually(
      [&far] { return far.pool.status(far.launch.key()).state != LifecycleState::ready; });
  EXPECT_TRUE(ended);
  co_return co_await closed(&far);
}

TEST(RemoteServers, a_server_at_a_unix_socket_speaks_lines) {
  run(by_socket);
}

}  // namespace
}  // namespace pi_mcp::servers
