// What clients do to the server, by bytes: in order, in pieces, too much, too slowly, and gone.
#include "io/net/http_server.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/this_coro.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/loop/with_deadline.h"
#include "io/net/connect.h"
#include "io/net/socket.h"

namespace pi_mcp::io {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Milliseconds patience{20'000};
constexpr Milliseconds instant{1};

// Answers by the path: /echo at once, /wait when the test says so, /no before the body. Bytes are
// counted by the path as well.
class Handler final : public HttpHandler {
 public:
  explicit Handler(const Executor& executor) : changed(executor) {}

  Admitted admit(const http::RequestHead& head, const HttpPeer& peer) override {
    peers.push_back(peer);
    if (head.target == "/no") {
      return tl::unexpected(HttpReply{.status = 403});
    }
    return std::make_shared<const std::string>(head.target);
  }
  std::optional<HttpReply> take_room(HttpRoom room,
                                     const HttpAccount& account,
                                     std::size_t bytes) override {
    std::size_t& held = (room == HttpRoom::body ? bodies : unread)[*account];
    if (held + bytes > bytes_max) {
      return HttpReply{.status = 429};
    }
    held += bytes;
    changed.notify_all();
    return std::nullopt;
  }
  void give_room(HttpRoom room, const HttpAccount& account, std::size_t bytes) override {
    (room == HttpRoom::body ? bodies : unread)[*account] -= bytes;
    changed.notify_all();
  }
  void note_refused(const http::RequestHead& head,
                    const HttpPeer& /*peer*/,
                    const HttpAccount& account,
                    const HttpReply& reply) override {
    refusals.push_back(std::to_string(reply.status) + " " + head.target +
                       (account ? " of " + *account : ""));
  }
  void serve(std::shared_ptr<HttpExchange> exchange) override {
    if (exchange->head().target == "/wait") {
      exchange->when_gone([this] {
        ++gone;
        changed.notify_all();
      });
      waiting.push_back(std::move(exchange));
      changed.notify_all();
      return;
    }
    const std::string body = exchange->take_body();
    exchange->reply({.status = 200,
                     .headers = {{.name = "X-Was", .value = exchange->head().method}},
                     .body = body,
                     .more = {SharedText(std::string(" more"))}});
  }

  // Returns when the test's own look is content, or the time is over.
  Task<void> until(std::function<bool()> content) {
    const TimePoint deadline = now() + patience;
    while (!content() && now() < deadline) {
      (void)co_await changed.wait_until(deadline);
    }
    EXPECT_TRUE(content());
  }

  Condition changed;
  std::vector<HttpPeer> peers;
  std::vector<std::string> refusals;
  std::vector<std::shared_ptr<HttpExchange>> waiting;
  int gone = 0;
  std::map<std::string, std::size_t> bodies;       // bytes by account
  std::map<std::string, std::size_t> unread;       // likewise
  std::size_t bytes_max = std::size_t{64} << 20U;  // of each
};

struct Scene {
  Handler handler;
  std::unique_ptr<HttpServer> server;
};

using Test = Task<void> (*)(Scene*);

Task<int> run_test(Executor executor, std::string address, HttpServerLimits limits, Test test) {
  Scene scene{.handler = Handler(executor), .server = nullptr};
  auto opened = HttpServer::open(executor, std::move(address), scene.handler, limits);
  if (!opened) {
    ADD_FAILURE() << opened.error().message();
    co_return 1;
  }
  scene.server = *std::move(opened);
  co_await test(&scene);
  co_await scene.server->close();
  co_return 0;
}

void play(Test test, HttpServerLimits limits = {}, std::string address = "127.0.0.1:0") {
  run([&](const Executor& executor) { return run_test(executor, address, limits, test); });
}

Task<std::unique_ptr<Socket>> connected(Scene* scene) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  const std::string address = scene->server->address();
  Result<Fd> fd = fail(ErrorCode::io, "not tried");
  if (address.starts_with("unix:")) {
    fd = co_await connect_unix(address.substr(5));
  } else {
    fd = co_await connect_tcp(
        "127.0.0.1", static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  }
  EXPECT_TRUE(fd) << fd.error().message();
  co_return fd ? make_plain_socket(executor, *std::move(fd)) : nullptr;
}

// What comes until it ends with `end`, or the connection does.
Task<Result<std::string>> read_until(Socket* socket, std::string end) {
  std::string text;
  std::array<char, 4096> space{};
  while (end.empty() || !text.ends_with(end)) {
    const Result<std::size_t> count = co_await socket->read_some(space);
    if (!count || *count == 0) {
      break;
    }
    text.append(space.data(), *count);
  }
  co_return text;
}

Task<std::string> reading(Socket* socket, std::string end) {
  auto read = co_await with_deadline(patience, "answer", read_until(socket, std::move(end)));
  EXPECT_TRUE(read) << read.error().message();
  co_return read ? *std::move(read) : "";
}

Task<std::string> asked(Scene* scene, std::string bytes, std::string end) {
  const std::unique_ptr<Socket> client = co_await connected(scene);
  (void)co_await client->write_all(bytes);
  co_return co_await reading(client.get(), std::move(end));
}

TEST(HttpServer, answers_one_request_after_another_on_one_connection) {
  play([](Scene* scene) -> Task<void> {
    const std::string answers =
        co_await asked(scene,
                       "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
                       "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                       "");
    EXPECT_EQ(answers,
              "HTTP/1.1 200 OK\r\nX-Was: POST\r\nContent-Length: 7\r\n\r\nhi more"
              "HTTP/1.1 200 OK\r\nX-Was: GET\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
              " more");
  });
}

TEST(HttpServer, knows_whose_process_asks) {
  play([](Scene* scene) -> Task<void> {
    (void)co_await asked(scene, "GET /no HTTP/1.1\r\nHost: x\r\n\r\n", "");
    EXPECT_EQ(scene->handler.peers.at(0).address, "127.0.0.1");
    EXPECT_TRUE(scene->handler.peers.at(0).is_here);
    EXPECT_EQ(scene->handler.peers.at(0).user, ::geteuid());
  });
}

TEST(HttpServer, refuses_by_the_head_before_the_body_is_sent) {
  play([](Scene* scene) -> Task<void> {
    EXPECT_THAT(
        co_await asked(scene, "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", ""),
        StartsWith("HTTP/1.1 403 Forbidden\r\n"));
    EXPECT_THAT(co_await asked(scene, "GET / HTTP/1.1\r\n\r\n", ""), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(co_await asked(scene, "nonsense\r\n\r\n", ""), StartsWith("HTTP/1.1 400 "));
    EXPECT_EQ(scene->handler.peers.size(), 1U) << "the handler sees heads that are whole";
    EXPECT_THAT(scene->handler.refusals, ElementsAre("403 /no", "400 ", "400 "));
  });
}

TEST(HttpServer, says_go_on_to_a_client_that_waits_for_it) {
  play([](Scene* scene) -> Task<void> {
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all(
        "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(co_await reading(client.get(), "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    (void)co_await client->write_all("hi");
    EXPECT_THAT(co_await reading(client.get(), "more"), EndsWith("hi more"));
  });
}

TEST(HttpServer, counts_a_body_as_it_comes_and_until_its_answer) {
  play([](Scene* scene) -> Task<void> {
    auto& bodies = scene->handler.bodies;
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all(
        "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
    co_await scene->handler.until([&bodies] { return bodies["/wait"] == 2; });
    (void)co_await client->write_all(
        "cdPOST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    EXPECT_EQ(bodies["/wait"], 4U);
    EXPECT_EQ(scene->handler.waiting.at(0)->take_body(), "abcd");
    EXPECT_EQ(bodies["/wait"], 4U) << "who serves it has it";
    scene->handler.waiting.at(0)->reply({.status = 204});
    EXPECT_THAT(co_await reading(client.get(), "more"), EndsWith("hi more"));
    EXPECT_EQ(bodies["/wait"], 0U);
    EXPECT_EQ(bodies["/echo"], 0U);
  });
}

TEST(HttpServer, keeps_nothing_of_a_body_without_room_or_client) {
  play([](Scene* scene) -> Task<void> {
    scene->handler.bytes_max = 4;
    auto& bodies = scene->handler.bodies;
    std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all(
        "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab");
    co_await scene->handler.until([&bodies] { return bodies["/wait"] == 2; });
    const std::unique_ptr<Socket> other = co_await connected(scene);
    (void)co_await other->write_all(
        "POST /wait HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n");
    co_await scene->handler.until([&bodies] { return bodies["/wait"] == 4; });
    (void)co_await other->write_all("1\r\nc\r\n");
    EXPECT_THAT(co_await reading(other.get(), ""), StartsWith("HTTP/1.1 429 "));
    EXPECT_THAT(scene->handler.refusals, ElementsAre("429 /wait of /wait"));
    EXPECT_EQ(bodies["/wait"], 2U);
    client.reset();
    co_await scene->handler.until([&bodies] { return bodies["/wait"] == 0; });
  });
}

TEST(HttpServer, streams_in_chunks_and_takes_the_next_request_after_the_end) {
  play([](Scene* scene) -> Task<void> {
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all(
        "GET /wait HTTP/1.1\r\nHost: x\r\n\r\nGET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    EXPECT_EQ(scene->server->under_way(), 1U);
    const std::shared_ptr<HttpExchange> exchange = scene->handler.waiting.at(0);
    exchange->begin(200, {{.name = "Content-Type", .value = "text/event-stream"}});
    exchange->write(SharedText(std::string("data: 1\n\n")));
    EXPECT_EQ(co_await reading(client.get(), "\n\n\r\n"),
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
              "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n");
    exchange->end();
    EXPECT_THAT(co_await reading(client.get(), " more"), StartsWith("0\r\n\r\nHTTP/1.1 200 OK"));
    EXPECT_EQ(scene->handler.gone, 0);
    EXPECT_EQ(scene->server->under_way(), 0U);
  });
}

TEST(HttpServer, tells_that_a_client_has_gone) {
  play([](Scene* scene) -> Task<void> {
    std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    client.reset();
    co_await scene->handler.until([scene] { return scene->handler.gone == 1; });
    scene->handler.waiting.at(0)->reply({.status = 200, .body = "too late"});
    EXPECT_EQ(scene->server->under_way(), 0U);
  });
}

TEST(HttpServer, a_request_that_nobody_answers_is_an_error) {
  play([](Scene* scene) -> Task<void> {
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    scene->handler.waiting.clear();
    EXPECT_THAT(co_await reading(client.get(), ".\n"), StartsWith("HTTP/1.1 500 "));
  });
}

TEST(HttpServer, gives_up_on_a_client_that_dribbles_its_head) {
  play(
      [](Scene* scene) -> Task<void> {
        EXPECT_THAT(co_await asked(scene, "GET /echo HT", ""), StartsWith("HTTP/1.1 408 "));
        EXPECT_THAT(scene->handler.refusals, ElementsAre("408 "));
      },
      {.head_max = instant, .look_pause = instant});
}

TEST(HttpServer, gives_up_on_a_client_that_dribbles_its_body) {
  play(
      [](Scene* scene) -> Task<void> {
        EXPECT_THAT(co_await asked(
                        scene, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhi", ""),
                    StartsWith("HTTP/1.1 408 "));
        EXPECT_THAT(scene->handler.refusals, ElementsAre("408 /echo of /echo"));
      },
      {.body_max = instant, .look_pause = instant});
}

TEST(HttpServer, gives_up_on_a_client_that_says_nothing) {
  play([](Scene* scene) -> Task<void> { EXPECT_EQ(co_await asked(scene, "", ""), ""); },
       {.idle_max = instant, .look_pause = instant});
}

TEST(HttpServer, gives_up_on_a_client_that_takes_nothing) {
  play(
      [](Scene* scene) -> Task<void> {
        const std::unique_ptr<Socket> client = co_await connected(scene);
        (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
        co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
        const SharedText much(std::string(std::size_t{32} << 20U, 'x'));
        scene->handler.waiting.at(0)->reply({.status = 200, .body = "", .more = {much}});
        EXPECT_GT(scene->handler.waiting.at(0)->queued(), std::size_t{1} << 20U);
        const TimePoint deadline = now() + patience;
        while (scene->server->connections() > 0 && now() < deadline) {
          (void)co_await scene->handler.changed.wait_until(now() + Milliseconds(20));
        }
        EXPECT_EQ(scene->server->connections(), 0U);
      },
      {.stuck_max = instant, .look_pause = instant});
}

TEST(HttpServer, counts_what_a_client_does_not_take_until_it_does) {
  play([](Scene* scene) -> Task<void> {
    constexpr std::size_t size = std::size_t{32} << 20U;
    auto& unread = scene->handler.unread;
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    scene->handler.waiting.at(0)->reply({.status = 200, .body = "small"});
    EXPECT_THAT(co_await reading(client.get(), "small"), StartsWith("HTTP/1.1 200 OK"));
    EXPECT_EQ(unread.size(), 0U) << "what is taken at once is not counted";
    (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 2; });
    scene->handler.waiting.at(1)->reply(
        {.status = 200, .body = "", .more = {SharedText(std::string(size, 'x') + "end")}});
    co_await scene->handler.until([&unread] { return unread["/wait"] > size / 2; });
    EXPECT_THAT(co_await reading(client.get(), "end"), StartsWith("HTTP/1.1 200 OK"));
    co_await scene->handler.until([&unread] { return unread["/wait"] == 0; });
  });
}

TEST(HttpServer, gives_up_on_a_client_that_takes_nothing_where_there_is_no_room_for_it) {
  play([](Scene* scene) -> Task<void> {
    scene->handler.bytes_max = std::size_t{1} << 20U;
    const std::unique_ptr<Socket> client = co_await connected(scene);
    (void)co_await client->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    scene->handler.waiting.at(0)->begin(200, {});
    const SharedText piece(std::string(std::size_t{512} << 10U, 'x'));
    for (int i = 0; i < 64; ++i) {
      scene->handler.waiting.at(0)->write(piece);
    }
    co_await scene->handler.until([scene] { return scene->handler.gone == 1; });
    EXPECT_EQ(scene->handler.unread["/wait"], 0U);
  });
}

TEST(HttpServer, turns_away_whom_it_cannot_take) {
  play(
      [](Scene* scene) -> Task<void> {
        const std::unique_ptr<Socket> first = co_await connected(scene);
        (void)co_await first->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
        co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
        EXPECT_THAT(co_await asked(scene, "", ""), HasSubstr("Retry-After: 1\r\n"));
        scene->handler.waiting.at(0)->reply({.status = 204});
        EXPECT_THAT(co_await reading(first.get(), "\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
      },
      {.connections_max = 1});
}

TEST(HttpServer, drains_what_is_under_way) {
  play([](Scene* scene) -> Task<void> {
    const std::unique_ptr<Socket> idle = co_await connected(scene);
    (void)co_await idle->write_all("GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
    (void)co_await reading(idle.get(), "more");
    const std::unique_ptr<Socket> busy = co_await connected(scene);
    (void)co_await busy->write_all("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await scene->handler.until([scene] { return scene->handler.waiting.size() == 1; });
    scene->server->drain();
    EXPECT_EQ(co_await reading(idle.get(), ""), "");
    scene->handler.waiting.at(0)->reply({.status = 200, .body = "last"});
    const std::string last = co_await reading(busy.get(), "");
    EXPECT_THAT(last, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(last, EndsWith("last"));
  });
}

TEST(HttpServer, listens_on_a_unix_socket_that_is_the_users_alone) {
  const std::string path = ::testing::TempDir() + "http_server_test." + std::to_string(::getpid());
  play(
      [](Scene* scene) -> Task<void> {
        EXPECT_THAT(co_await asked(scene, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "more"),
                    StartsWith("HTTP/1.1 200 OK"));
        EXPECT_EQ(scene->handler.peers.at(0).user, ::geteuid());
        EXPECT_EQ(scene->handler.peers.at(0).address, "unix");
      },
      {},
      "unix:" + path);
  EXPECT_NE(::access(path.c_str(), F_OK), 0) << "it takes its socket along";
}

TEST(HttpServer, names_an_address_that_is_none) {
  run([](Executor executor) -> Task<int> {
    Handler handler(executor);
    for (const char* address :
         {"8808", "127.0.0.1:", "example.com:80", "127.0.0.1:99999", "unix:"}) {
      const auto opened = HttpServer::open(executor, address, handler, {});
      EXPECT_FALSE(opened) << address;
      EXPECT_EQ(opened.error().code(), ErrorCode::invalid_argument) << address;
      EXPECT_THAT(opened.error().message(), HasSubstr(address));
    }
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::io
