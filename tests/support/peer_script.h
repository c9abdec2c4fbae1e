// A server by TCP that does exactly what a test writes: each connection is one coroutine.
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

#include <gtest/gtest.h>

#include "io/files/fd.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/net/socket.h"

namespace pi_mcp::test {

// One connection of a client.
class BytePeer {
 public:
  BytePeer(io::Executor executor, io::Fd fd)
      : executor_(executor), socket_(io::make_plain_socket(executor, std::move(fd))) {}

  // What has come by now; nullopt when the client has gone.
  io::Task<std::optional<std::string>> read() {
    std::array<char, 65536> space{};
    const auto count = co_await socket_->read_some(space);
    co_return count && *count > 0 ? std::optional(std::string(space.data(), *count)) : std::nullopt;
  }
  io::Task<bool> write(std::string bytes) {
    const Result<void> written = co_await socket_->write_all(bytes);
    co_return written.has_value();
  }
  void close() { socket_.reset(); }
  [[nodiscard]] const io::Executor& executor() const { return executor_; }

 private:
  io::Executor executor_;
  std::unique_ptr<io::Socket> socket_;
};

// Listens on a port of its own on 127.0.0.1; close() must have returned before destruction.
template <class Peer>
class PeerScript {
 public:
  using Connection = std::function<io::Task<void>(std::shared_ptr<Peer>)>;

  PeerScript(const io::Executor& executor, Connection connection)
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
                     connection_(std::make_shared<Peer>(executor_, std::move(fd))),
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
