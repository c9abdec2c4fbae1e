#include "io/loop/stream.h"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "io/loop/ready.h"

namespace pi_mcp::io {

namespace asio = boost::asio;

namespace {

tl::unexpected<Error> cancelled() {
  return fail(ErrorCode::cancelled, "cancelled");
}

// Gives what a read has brought to whoever waits for a Result.
template <class Waiter>
struct AsResult {
  Waiter waiter;

  void operator()(const boost::system::error_code& error, std::size_t count) {
    if (!error) {
      std::move(waiter)(Result<std::size_t>(count));
    } else if (error == asio::error::eof) {
      std::move(waiter)(Result<std::size_t>(0));
    } else if (error == asio::error::operation_aborted) {
      std::move(waiter)(Result<std::size_t>(cancelled()));
    } else {
      std::move(waiter)(Result<std::size_t>(fail(ErrorCode::io, error.message())));
    }
  }
};

constexpr std::size_t pieces_max = 64;  // of one system call; more go in another round

std::size_t bytes_of(std::span<const std::string_view> pieces) {
  std::size_t bytes = 0;
  for (const std::string_view piece : pieces) {
    bytes += piece.size();
  }
  return bytes;
}

ssize_t write_pieces(int descriptor, std::span<const std::string_view> pieces) {
  if (pieces.size() == 1) {  // nearly always
    return ::write(descriptor, pieces.front().data(), pieces.front().size());
  }
  std::array<struct iovec, pieces_max> vectors{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // writev() does not change what it writes; its type is older than const.
    vectors.at(i) = {.iov_base = const_cast<char*>(pieces[i].data()), .iov_len = pieces[i].size()};
  }
  return ::writev(descriptor, vectors.data(), static_cast<int>(pieces.size()));
}

}  // namespace
}  // namespace pi_mcp::io

// Executor, allocator and cancellation are those of the waiter.
template <template <class, class> class Associator, class Waiter, class Default>
struct boost::asio::associator<Associator, pi_mcp::io::AsResult<Waiter>, Default>
    : Associator<Waiter, Default> {
  static auto get(const pi_mcp::io::AsResult<Waiter>& handler) noexcept {
    return Associator<Waiter, Default>::get(handler.waiter);
  }
  static auto get(const pi_mcp::io::AsResult<Waiter>& handler, const Default& other) noexcept {
    return Associator<Waiter, Default>::get(handler.waiter, other);
  }
};

namespace pi_mcp::io {

Stream::Stream(const Executor& executor, Fd fd) : descriptor_(executor) {
  boost::system::error_code error;
  descriptor_.assign(fd.release(), error);  // a failure shows in the first read or write
}

void Stream::cancel() {
  boost::system::error_code ignored;  // nothing to cancel is fine
  descriptor_.cancel(ignored);
}

void Stream::close() {
  boost::system::error_code ignored;  // Linux frees the number whatever close() says
  descriptor_.close(ignored);
}

Task<Result<std::size_t>> ReadStream::read_some(std::span<char> space) {
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return cancelled();
  }
  co_return co_await read_on(space);
}

Task<Result<std::size_t>> ReadStream::read_on(std::span<char> space) {
  using Token = const asio::use_awaitable_t<>;
  auto initiation = [this, space](auto waiter) {
    descriptor_.async_read_some(asio::buffer(space.data(), space.size()),
                                AsResult<decltype(waiter)>{std::move(waiter)});
  };
  return asio::async_initiate<Token&, void(Result<std::size_t>)>(std::move(initiation),
                                                                 asio::use_awaitable);
}

std::optional<std::size_t> ReadStream::read_now(std::span<char> space) {
  const ssize_t count = ::read(descriptor_.native_handle(), space.data(), space.size());
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return std::nullopt;
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

Task<Result<void>> Stream::wait_for_bytes() {
  return wait_ready(&descriptor_, asio::posix::descriptor_base::wait_read);
}

Result<std::size_t> WriteStream::write_now(std::span<const std::string_view> pieces) {
  std::size_t written = 0;
  while (!pieces.empty()) {
    const auto part = pieces.first(std::min(pieces.size(), pieces_max));
    const ssize_t result = write_pieces(descriptor_.native_handle(), part);
    if (result < 0 && errno == EINTR) {
      continue;
    }
    // What is out is out; the next write meets the error again.
    if (result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || written > 0)) {
      return written;
    }
    if (result < 0) {
      return fail(ErrorCode::io, reason(errno));
    }
    written += static_cast<std::size_t>(result);
    if (static_cast<std::size_t>(result) < bytes_of(part)) {
      return written;  // a full pipe: what is left waits for room
    }
    pieces = pieces.subspan(part.size());
  }
  return written;
}

Task<Result<void>> WriteStream::wait_for_room() {
  return wait_ready(&descriptor_, asio::posix::descriptor_base::wait_write);
}

void write_stderr(std::string_view text) {
  while (!text.empty()) {
    struct pollfd room{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) {
      return;
    }
    // POSIX: a pipe that polls as writable takes PIPE_BUF (4096) bytes without blocking.
    constexpr std::size_t chunk_bytes = 4096;
    const ssize_t count = ::write(STDERR_FILENO, text.data(), std::min(text.size(), chunk_bytes));
    if (count <= 0) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace pi_mcp::io
