#include "io/net/packets.h"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "io/loop/clock.h"
#include "io/loop/ready.h"

namespace pi_mcp::io {

namespace asio = boost::asio;

namespace {

constexpr std::size_t files_bytes = CMSG_SPACE(sizeof(int) * packet_files_max);

void take_control(const cmsghdr& header, const unsigned char* data, Packet& packet) {
  if (header.cmsg_level != SOL_SOCKET) {
    return;
  }
  if (header.cmsg_type == SCM_CREDENTIALS) {
    struct ucred sender{};
    std::memcpy(&sender, data, sizeof sender);
    packet.sender = sender.pid;
  } else if (header.cmsg_type == SCM_RIGHTS) {
    for (std::size_t at = 0; at + sizeof(int) <= header.cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, data + at, sizeof number);
      packet.files.emplace_back(number);
    }
  }
}

}  // namespace

Result<void> stamp_packets(int socket) {
  const int on = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
    return fail(ErrorCode::io, "cannot ask for the senders of packets: " + reason(errno));
  }
  return {};
}

Result<void> send_packet(int socket,
                         PacketKind kind,
                         std::string_view text,
                         std::initializer_list<int> files) {
  if (text.size() > packet_text_max || files.size() > packet_files_max) {
    return fail(ErrorCode::invalid_argument, "a packet is too large");
  }
  std::array<char, packet_text_max + 1> bytes{};
  bytes[0] = static_cast<char>(kind);
  std::copy(text.begin(), text.end(), bytes.begin() + 1);
  struct iovec part{.iov_base = bytes.data(), .iov_len = text.size() + 1};
  alignas(cmsghdr) std::array<unsigned char, files_bytes> control{};
  struct msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (files.size() > 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * files.size());
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * files.size());
    std::memcpy(CMSG_DATA(header), files.begin(), sizeof(int) * files.size());
  }
  while (::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EAGAIN || errno == ETOOMANYREFS) {
      return fail(ErrorCode::unavailable, "the other side does not read");
    }
    if (errno != EINTR) {
      return fail(ErrorCode::io, "cannot send a packet: " + reason(errno));
    }
  }
  return {};
}

Result<std::optional<Packet>> receive_packet(int socket) {
  std::array<char, packet_text_max + 1> bytes{};
  alignas(cmsghdr) std::array<unsigned char, files_bytes + CMSG_SPACE(sizeof(struct ucred))>
      control{};
  for (;;) {
    struct iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
    struct msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    // ECONNRESET is not the end: the other side has died with packets of ours unread, and those
    // that it sent before are still to come.
    if (count < 0 && (errno == EINTR || errno == ECONNRESET)) {
      continue;
    }
    if (count < 0 && errno == EAGAIN) {
      return std::nullopt;
    }
    if (count < 0) {
      return fail(ErrorCode::io, "cannot receive a packet: " + reason(errno));
    }
    Packet packet;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      take_control(*header, CMSG_DATA(header), packet);
    }
    if (count == 0) {
      return fail(ErrorCode::unavailable, "the other side is gone");
    }
    const bool cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    if (cut || packet.files.size() > packet_files_max) {
      return fail(ErrorCode::protocol, "the other side has sent a packet that is too large");
    }
    packet.kind = static_cast<PacketKind>(bytes[0]);
    packet.text.assign(bytes.data() + 1, static_cast<std::size_t>(count - 1));
    return packet;
  }
}

Result<Packet> await_packet(int socket, Milliseconds limit) {
  const TimePoint deadline = now() + limit;
  for (;;) {
    Result<std::optional<Packet>> packet = receive_packet(socket);
    if (!packet) {
      return fail(std::move(packet).error());
    }
    if (*packet) {
      return std::move(**packet);
    }
    const auto left = std::chrono::ceil<Milliseconds>(deadline - now());
    if (left.count() <= 0) {
      return fail(ErrorCode::timed_out, "the other side says nothing");
    }
    (void)await_news(socket, left);
  }
}

bool await_news(int socket, Milliseconds limit) {
  struct pollfd event{.fd = socket, .events = POLLIN, .revents = 0};
  const auto time = std::min<std::int64_t>(limit.count(), INT_MAX);
  return ::poll(&event, 1, static_cast<int>(time)) > 0;  // a signal ends it, too
}

void end_connection(const Fd& socket) {
  (void)::shutdown(socket.get(), SHUT_RDWR);  // fails when the other side has ended it
}

std::size_t unread_bytes(int socket) {
  int count = 0;
  return ::ioctl(socket, SIOCOUTQ, &count) == 0 ? static_cast<std::size_t>(count) : 0;
}

PacketStream::PacketStream(const Executor& executor, Fd socket) : descriptor_(executor) {
  boost::system::error_code error;
  descriptor_.assign(socket.release(), error);  // a failure shows in the first wait
}

Task<Result<Packet>> PacketStream::receive() {
  const auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  for (;;) {
    Result<std::optional<Packet>> packet = receive_packet(number());
    if (!packet) {
      co_return fail(std::move(packet).error());
    }
    if (*packet) {
      co_return std::move(**packet);
    }
    Result<void> ready = co_await wait_ready(&descriptor_, asio::posix::descriptor_base::wait_read);
    if (!ready) {
      co_return fail(std::move(ready).error());
    }
  }
}

void PacketStream::close() {
  boost::system::error_code ignored;
  descriptor_.close(ignored);
}

}  // namespace pi_mcp::io
