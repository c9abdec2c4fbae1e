#include "io/process/host_channel.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "io/process/kernel.h"

namespace pi_mcp::io {
namespace {

bool is_full() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

tl::unexpected<Error> refused() {
  return fail(ErrorCode::io, reason(errno));
}

// Where nothing may hang, not even a file of a file server that does.
std::uint16_t kind_of(int file) {
  struct statx facts{};
  if (::statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &facts) != 0) {
    return 0;
  }
  return facts.stx_mode & S_IFMT;
}

// Becomes readable when one of `events` is there. The loop waits for this and not for the socket,
// whose description it would make non-blocking.
Fd watch_of(int socket, std::uint32_t events) {
  Fd watch(::epoll_create1(EPOLL_CLOEXEC));
  struct epoll_event wanted{.events = events, .data = {.fd = socket}};
  if (!watch.is_open() || ::epoll_ctl(watch.get(), EPOLL_CTL_ADD, socket, &wanted) != 0) {
    return {};
  }
  return watch;
}

// A pipe of our own, or the watch on a socket; and the socket.
struct Adopted {
  Fd watched;
  Fd socket;
};

Result<Adopted> adopted(Fd given, int access, std::uint32_t events) {
  if (Result<void> fits = check_host_channel(given.get()); !fits) {
    return fail(fits.error());
  }
  Adopted own;
  if (kind_of(given.get()) == S_IFSOCK) {
    own.watched = watch_of(given.get(), events);
    own.socket = std::move(given);
  } else {
    own.watched = open_anew(given.get(), access | O_NONBLOCK);
  }
  if (!own.watched.is_open()) {
    return refused();
  }
  return own;
}

}  // namespace

Result<void> check_host_channel(int file) {
  const std::uint16_t kind = kind_of(file);
  if (kind == S_IFSOCK) {
    int type = 0;
    socklen_t bytes = sizeof type;
    if (::getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 && type == SOCK_STREAM) {
      return {};
    }
    return fail(ErrorCode::invalid_argument, "a socket that is no stream");
  }
  if (kind != S_IFIFO) {
    return fail(ErrorCode::invalid_argument, "neither a pipe nor a socket");
  }
  constexpr std::string_view nameless = "pipe:";
  std::array<char, nameless.size()> name{};
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (::readlink(path.c_str(), name.data(), name.size()) < 0 ||
      std::string_view(name.data(), name.size()) != nameless) {
    return fail(ErrorCode::invalid_argument, "a named FIFO");
  }
  const int flags = ::fcntl(file, F_GETFL);
  const Fd again = open_anew(file, (flags & O_ACCMODE) | O_NONBLOCK);
  if (!again.is_open()) {
    return fail(ErrorCode::invalid_argument, "a pipe that cannot be opened anew: " + reason(errno));
  }
  return {};
}

std::size_t SendCount::sent() const {
  struct mmsghdr header{};
  static_assert(sizeof header <= sizeof room_);
  std::memcpy(&header, room_.data(), sizeof header);
  return header.msg_len;
}

std::size_t bytes_in_pipe(int pipe) {
  int bytes = 0;
  return ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

HostInput::HostInput(const Executor& executor, Fd watched, Fd socket)
    : watched_(executor, std::move(watched)), socket_(std::move(socket)) {}

Result<HostInput> HostInput::adopt(const Executor& executor, Fd given) {
  Result<Adopted> own = adopted(std::move(given), O_RDONLY, EPOLLIN | EPOLLRDHUP);
  if (!own) {
    return fail(own.error());
  }
  return HostInput(executor, std::move(own->watched), std::move(own->socket));
}

Task<Result<std::size_t>> HostInput::read_some(std::span<char> space) {
  if (!socket_.is_open()) {
    co_return co_await watched_.read_some(space);
  }
  for (;;) {
    if (!is_drained_) {
      const ssize_t count = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
      is_drained_ = count < static_cast<ssize_t>(space.size());
      if (count >= 0) {
        co_return static_cast<std::size_t>(count);
      }
      if (errno == ECONNRESET) {
        co_return std::size_t{0};
      }
      if (!is_full()) {
        co_return refused();
      }
    }
    if (Result<void> ready = co_await watched_.wait_for_bytes(); !ready) {
      co_return fail(ready.error());
    }
    is_drained_ = false;
  }
}

void HostInput::close() {
  watched_.close();
  socket_.reset();
}

HostOutput::HostOutput(const Executor& executor, Fd watched, Fd socket)
    : pipe_(socket.is_open() ? -1 : watched.get()),
      watched_(executor, std::move(watched)),
      socket_(std::move(socket)) {}

Result<HostOutput> HostOutput::adopt(const Executor& executor, Fd given) {
  Result<Adopted> own = adopted(std::move(given), O_WRONLY, EPOLLOUT);
  if (!own) {
    return fail(own.error());
  }
  HostOutput output(executor, std::move(own->watched), std::move(own->socket));
  if (output.is_socket()) {
    return output;
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return refused();
  }
  output.stage_out_.reset(ends[0]);
  output.stage_in_.reset(ends[1]);
  return output;
}

Result<bool> HostOutput::write_whole(std::string_view text) {
  const ssize_t count = ::write(pipe_, text.data(), text.size());
  if (count < 0 && !is_full()) {
    return refused();
  }
  return count > 0;
}

Result<std::size_t> HostOutput::stage(std::string_view text) {
  const ssize_t count =
      ::write(stage_in_.get(), text.data(), std::min(text.size(), stage_bytes_max));
  if (count <= 0) {
    return refused();
  }
  return static_cast<std::size_t>(count);
}

Result<std::size_t> HostOutput::move_staged(std::size_t bytes) {
  const ssize_t count =
      ::splice(stage_out_.get(), nullptr, pipe_, nullptr, bytes, SPLICE_F_NONBLOCK);
  if (count < 0 && !is_full()) {
    return refused();
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

Result<bool> HostOutput::send_counted(std::string_view text, SendCount& count) {
  // sendmmsg(2) does not change what it sends; its type is older than const.
  struct iovec piece{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  auto* const header = reinterpret_cast<struct mmsghdr*>(count.room_.data());
  header->msg_hdr = {};
  header->msg_hdr.msg_iov = &piece;
  header->msg_hdr.msg_iovlen = 1;
  if (::sendmmsg(socket_.get(), header, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
    return is_full() ? Result<bool>(false) : refused();
  }
  return true;
}

Task<Result<void>> HostOutput::wait_for_room() {
  return is_socket() ? watched_.wait_for_bytes() : watched_.wait_for_room();
}

void HostOutput::close() {
  watched_.close();
  socket_.reset();
  stage_in_.reset();
  stage_out_.reset();
}

}  // namespace pi_mcp::io
