// An HTTP server that does exactly what a test writes: each connection is one coroutine that reads
// requests and writes bytes, as broken as the test wants them.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "http/message.h"
#include "io/files/fd.h"
#include "io/loop/condition.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/net/socket.h"

namespace pi_mcp::test {

// A request as it arrived; `head` keeps the first line's target in `target`.
struct SeenRequest {
  std::string method;
  std::string target;
  http::Head head;
  std::string body;
};

// One connection of a client.
class HttpPeer {
 public:
  HttpPeer(io::Executor executor, io::Fd fd)
      : executor_(executor), socket_(io::make_plain_socket(executor, std::move(fd))) {}

  // The next request with a whole body; nullopt when the client has gone.
  io::Task<std::optional<SeenRequest>> read_request() {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!co_await read_more()) {
        co_return std::nullopt;
      }
    }
    SeenRequest request = parse(unread_.substr(0, end));
    unread_.erase(0, end + 4);
    const std::string length(request.head.find("content-length"));
    const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
    while (unread_.size() < bytes) {
      if (!co_await read_more()) {
        co_return std::nullopt;
      }
    }
    request.body = unread_.substr(0, bytes);
    unread_.erase(0, bytes);
    co_return request;
  }

  io::Task<bool> write(std::string bytes) {
    const Result<void> written = co_await socket_->write_all(bytes);
    co_return written.has_value();
  }
  // Waits until the client has gone.
  io::Task<void> wait_gone() {
    while (co_await read_more()) {
    }
  }
  void close() { socket_.reset(); }
  [[nodiscard]] const io::Executor& executor() const { return executor_; }

 private:
  io::Task<bool> read_more() {
    std::array<char, 65536> space{};
    const auto count = co_await socket_->read_some(space);
    if (!count || *count == 0) {
      co_return false;
    }
    unread_.append(space.data(), *count);
    co_return true;
  }

  static SeenRequest parse(const std::string& text) {
    SeenRequest request;
    const auto lines = text::split(text, '\n');
    const auto words = text::words(lines.at(0));
    request.method = std::string(words.at(0));
    request.target = std::string(words.at(1));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t colon = lines[i].find(':');
      request.head.headers.push_back(
          {.name = std::string(lines[i].substr(0, colon)),
           .value = std::string(text::trim(lines[i].substr(colon + 1)))});
    }
    return request;
  }

  io::Executor executor_;
  std::unique_ptr<io::Socket> socket_;
  std::string unread_;
};

// "HTTP/1.1 200 OK" and the rest, with a Content-Length.
inline std::string http_answer(const std::string& status,
                               const std::string& headers,
                               const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + (headers.empty() ? "" : "\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Listens on a port of its own on 127.0.0.1; close() must have returned before destruction.
class HttpScript {
 public:
  using Connection = std::function<io::Task<void>(std::shared_ptr<HttpPeer>)>;

  HttpScript(const io::Executor& executor, Connection connection)
      : executor_(executor), connection_(std::move(connection)), tasks_(executor) {
    listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(listener_.get(), generic, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 128), 0);
    EXPECT_EQ(::getsockname(listener_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
    tasks_.spawn("accept", accept(), io::log_only);
  }

  [[nodiscard]] std::string url(const std::string& target = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + target;
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int accepted() const { return accepted_; }

  io::Task<void> close() {
    tasks_.cancel();
    co_await tasks_.join();
    listener_.reset();
  }

 private:
  io::Task<void> accept() {
    io::ReadStream ready(executor_, io::Fd(::dup(listener_.get())));
    for (;;) {
      const Result<void> waited = co_await ready.wait_for_bytes();
      if (!waited) {
        co_return;
      }
      io::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (fd.is_open()) {
        ++accepted_;
        tasks_.spawn("connection",
                     connection_(std::make_shared<HttpPeer>(executor_, std::move(fd))),
                     io::log_only);
      }
    }
  }

  io::Executor executor_;
  Connection connection_;
  io::Fd listener_;
  int port_ = 0;
  int accepted_ = 0;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::test
