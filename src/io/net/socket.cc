#include "io/net/socket.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "io/loop/ready.h"

namespace pi_mcp::io {

namespace asio = boost::asio;

namespace {

class PlainSocket final : public Socket {
 public:
  using Socket::Socket;

 protected:
  Step read_now(std::span<char> space) override {
    const ssize_t count = ::recv(number(), space.data(), space.size(), 0);
    if (count == 0) {
      return {.next = Next::ended, .count = 0, .error = ""};
    }
    return step(count, Next::wait_readable);
  }

  Step write_now(std::string_view bytes) override {
    const ssize_t count = ::send(number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return step(count, Next::wait_writable);
  }

 private:
  static Step step(ssize_t count, Next otherwise) {
    if (count >= 0) {
      return {.next = Next::done, .count = static_cast<std::size_t>(count), .error = ""};
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
      return {.next = otherwise, .count = 0, .error = ""};
    }
    return {.next = Next::failed, .count = 0, .error = reason(errno)};
  }
};

}  // namespace

Socket::Socket(const Executor& executor, Fd fd) : descriptor_(executor) {
  boost::system::error_code error;
  descriptor_.assign(fd.release(), error);  // a failure shows in the first read
}

Task<Result<void>> Socket::wait(Next next) {
  using Wait = asio::posix::descriptor_base;
  return wait_ready(&descriptor_, next == Next::wait_readable ? Wait::wait_read : Wait::wait_write);
}

Task<Result<std::size_t>> Socket::read_some(std::span<char> space) {
  // A peer that sends faster than we read must not keep the loop to itself.
  constexpr std::uint32_t reads_in_a_row_max = 16;
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (++reads_without_wait_ >= reads_in_a_row_max) {
    reads_without_wait_ = 0;
    co_await asio::post(descriptor_.get_executor(), asio::use_awaitable);
  }
  for (;;) {
    Step step = read_now(space);
    if (step.next == Next::done) {
      co_return step.count;
    }
    if (step.next == Next::ended) {
      co_return std::size_t{0};
    }
    if (step.next == Next::failed) {
      co_return fail(ErrorCode::io, std::move(step.error));
    }
    reads_without_wait_ = 0;
    const Result<void> ready = co_await wait(step.next);
    if (!ready) {
      co_return fail(ready.error());
    }
  }
}

Task<Result<void>> Socket::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    Step step = write_now(bytes);
    if (step.next == Next::done) {
      bytes.remove_prefix(step.count);
      continue;
    }
    if (step.next == Next::failed || step.next == Next::ended) {
      co_return fail(ErrorCode::io, step.error.empty() ? "closed" : std::move(step.error));
    }
    const Result<void> ready = co_await wait(step.next);
    if (!ready) {
      co_return ready;
    }
  }
  co_return Result<void>();
}

Result<std::size_t> Socket::write_some(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    Step step = write_now(bytes.substr(written));
    if (step.next == Next::failed || step.next == Next::ended) {
      return fail(ErrorCode::io, step.error.empty() ? "closed" : std::move(step.error));
    }
    if (step.next != Next::done) {
      room_ = step.next;
      break;
    }
    written += step.count;
  }
  return written;
}

Task<Result<void>> Socket::wait_for_room() {
  co_return co_await wait(room_);
}

void Socket::end_output() {
  (void)::shutdown(number(), SHUT_WR);
}

bool Socket::is_quiet() {
  std::array<char, 1> byte{};
  const ssize_t count = ::recv(number(), byte.data(), byte.size(), MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::unique_ptr<Socket> make_plain_socket(const Executor& executor, Fd fd) {
  return std::make_unique<PlainSocket>(executor, std::move(fd));
}

}  // namespace pi_mcp::io
