// Who else connects to the login callback: none of them keeps the browser's answer out.
#include "io/net/callback_listener.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/net/connect.h"
#include "io/net/socket.h"

namespace pi_mcp::io {
namespace {

struct Listening {
  std::unique_ptr<CallbackListener> listener;
  std::vector<std::string> targets;
};

void play(Task<void> (*test)(Listening*)) {
  struct Played {
    static Task<int> run(Executor executor, Task<void> (*test)(Listening*)) {
      Listening listening;
      auto opened = CallbackListener::open(executor, 0, [&listening](std::string_view target) {
        listening.targets.emplace_back(target);
        return CallbackPage{.status = 200, .title = "Back", .text = ""};
      });
      if (!opened) {
        ADD_FAILURE() << opened.error().message();
        co_return 1;
      }
      listening.listener = *std::move(opened);
      co_await test(&listening);
      co_await listening.listener->close();
      co_return 0;
    }
  };
  run([test](const Executor& executor) { return Played::run(executor, test); });
}

Task<std::unique_ptr<Socket>> connected(std::uint16_t port) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Result<Fd> fd = co_await connect_tcp("127.0.0.1", port);
  EXPECT_TRUE(fd) << fd.error().message();
  co_return fd ? make_plain_socket(executor, *std::move(fd)) : nullptr;
}

// What comes until the other side closes.
Task<std::string> read_to_end(Socket* socket) {
  std::string text;
  std::array<char, 4096> space{};
  for (;;) {
    const Result<std::size_t> count = co_await socket->read_some(space);
    if (!count || *count == 0) {
      co_return text;
    }
    text.append(space.data(), *count);
  }
}

Task<std::string> ask(std::uint16_t port, std::string request) {
  const std::unique_ptr<Socket> socket = co_await connected(port);
  if (!socket || !co_await socket->write_all(request)) {
    co_return "";
  }
  co_return co_await read_to_end(socket.get());
}

std::string callback_to(const std::string& host) {
  return "GET /callback?code=x HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

TEST(CallbackListener, the_browser_is_answered_however_many_idle_connections_came_before) {
  play([](Listening* listening) -> Task<void> {
    const std::uint16_t port = listening->listener->port();
    std::vector<std::unique_ptr<Socket>> idle;
    for (std::size_t i = 0; i < 3 * CallbackListener::connections_max; ++i) {
      idle.push_back(co_await connected(port));
    }
    const std::string page = co_await ask(port, callback_to("127.0.0.1:" + std::to_string(port)));
    EXPECT_EQ(page.substr(0, 15), "HTTP/1.1 200 OK") << page;
    EXPECT_EQ(listening->targets, std::vector<std::string>({"/callback?code=x"}));
    // The oldest made room, the newest still may ask.
    EXPECT_EQ(co_await read_to_end(idle.front().get()), "");
    const Result<void> late =
        co_await idle.back()->write_all(callback_to("localhost:" + std::to_string(port)));
    EXPECT_TRUE(late);
    EXPECT_NE(co_await read_to_end(idle.back().get()), "");
  });
}

TEST(CallbackListener, another_host_name_or_port_is_refused) {
  play([](Listening* listening) -> Task<void> {
    const std::uint16_t port = listening->listener->port();
    const std::string ours = ":" + std::to_string(port);
    for (const std::string& host : {"evil.example" + ours,
                                    std::string("127.0.0.1"),
                                    "127.0.0.1:" + std::to_string(port ^ 1U),
                                    "user@127.0.0.1" + ours,
                                    "127.0.0.1.evil.example" + ours,
                                    std::string(),
                                    "127.0.0.1" + ours + "\r\nHost: evil.example" + ours}) {
      const std::string page = co_await ask(port, callback_to(host));
      EXPECT_EQ(page.substr(0, 12), "HTTP/1.1 400") << host;
    }
    const std::string none = co_await ask(port, "GET /callback?code=x HTTP/1.1\r\n\r\n");
    EXPECT_EQ(none.substr(0, 12), "HTTP/1.1 400");
    EXPECT_TRUE(listening->targets.empty());
    for (const std::string& host : {"127.0.0.1" + ours, "LOCALHOST" + ours, "[::1]" + ours}) {
      const std::string page = co_await ask(port, callback_to(host));
      EXPECT_EQ(page.substr(0, 12), "HTTP/1.1 200") << host;
    }
  });
}

}  // namespace
}  // namespace pi_mcp::io
