#include "io/net/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
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

constexpr std::size_t pieces_at_once = 16;

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

  Step write_pieces_now(std::span<const std::string_view> pieces) override {
    std::array<iovec, pieces_at_once> parts{};
    const std::size_t count = std::min(pieces.size(), parts.size());
    for (std::size_t i = 0; i < count; ++i) {
      // sendmsg() only reads them.
      parts.at(i) = {.iov_base = const_cast<char*>(pieces[i].data()), .iov_len = pieces[i].size()};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    return step(::sendmsg(number(), &message, MSG_NOSIGNAL), Next::wait_writable);
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

Socket::Socket(const Executor& executor, Fd fd) : executor_(executor), fd_(std::move(fd)) {}

Socket::~Socket() {
  leave_loop();
}

void Socket::leave_loop() {
  if (descriptor_) {
    (void)descriptor_->release();  // closed by fd_
    descriptor_.reset();
  }
}

Fd Socket::release() {
  leave_loop();
  return std::move(fd_);
}

Task<Result<void>> Socket::wait(Next next) {
  using Wait = asio::posix::descriptor_base;
  if (!descriptor_) {
    descriptor_ = std::make_unique<asio::posix::stream_descriptor>(executor_);
    boost::system::error_code error;
    descriptor_->assign(fd_.get(), error);  // a failure shows in the wait
  }
  return wait_ready(descriptor_.get(),
                    next == Next::wait_readable ? Wait::wait_read : Wait::wait_write);
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
    co_await asio::post(executor_, asio::use_awaitable);
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

Result<std::optional<std::size_t>> Socket::take_some(std::span<char> space) {
  Step step = read_now(space);
  reads_by_writing_ = step.next == Next::wait_writable;
  switch (step.next) {
    case Next::done:
      return std::optional(step.count);
    case Next::ended:
      return std::optional(std::size_t{0});
    case Next::failed:
      return fail(ErrorCode::io, std::move(step.error));
    case Next::wait_readable:
    case Next::wait_writable:
      break;
  }
  return std::optional<std::size_t>();
}

Result<std::size_t> Socket::write_some(std::span<const std::string_view> pieces) {
  Step step = write_pieces_now(pieces);
  if (step.next == Next::failed || step.next == Next::ended) {
    return fail(ErrorCode::io, step.error.empty() ? "closed" : std::move(step.error));
  }
  return step.count;
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
