#include "io/net/peer_user.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <span>

namespace pi_mcp::io {
namespace {

struct Ends {
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
};

std::optional<Ends> ends_of(int connection) {
  Ends ends;
  socklen_t ours = sizeof ends.ours;
  socklen_t theirs = sizeof ends.theirs;
  if (::getsockname(connection, reinterpret_cast<sockaddr*>(&ends.ours), &ours) != 0 ||
      ::getpeername(connection, reinterpret_cast<sockaddr*>(&ends.theirs), &theirs) != 0) {
    return std::nullopt;
  }
  return ends;
}

// An address and its port as sock_diag wants them, in network order.
void put(const sockaddr_storage& from, std::span<__be32, 4> address, __be16& port) {
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    address[0] = v4.sin_addr.s_addr;
    port = v4.sin_port;
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
    std::memcpy(address.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    port = v6.sin6_port;
  }
}

struct Question {
  nlmsghdr head{};
  inet_diag_req_v2 about{};
};

// About the other end of the connection: the socket whose own address is theirs.
Question question_of(const Ends& ends) {
  Question question;
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.about.sdiag_family = static_cast<__u8>(ends.theirs.ss_family);
  question.about.sdiag_protocol = IPPROTO_TCP;
  question.about.idiag_states = ~0U;
  put(ends.theirs, question.about.id.idiag_src, question.about.id.idiag_sport);
  put(ends.ours, question.about.id.idiag_dst, question.about.id.idiag_dport);
  question.about.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  question.about.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  return question;
}

std::optional<std::uint32_t> ask(const Question& question) {
  const Fd kernel(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  constexpr timeval second{.tv_sec = 1, .tv_usec = 0};  // it answers at once
  (void)::setsockopt(kernel.get(), SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  if (::send(kernel.get(), &question, sizeof question, 0) != sizeof question) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<char, 1024> answer{};
  const ssize_t size = ::recv(kernel.get(), answer.data(), answer.size(), 0);
  nlmsghdr head{};
  inet_diag_msg message{};
  if (size < static_cast<ssize_t>(sizeof head + sizeof message)) {
    return std::nullopt;
  }
  std::memcpy(&head, answer.data(), sizeof head);
  std::memcpy(&message, answer.data() + NLMSG_HDRLEN, sizeof message);
  // A socket that is being closed belongs to nobody, and says 0.
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || message.idiag_inode == 0) {
    return std::nullopt;
  }
  return message.idiag_uid;
}

}  // namespace

std::optional<std::uint32_t> peer_user(const Fd& connection) {
  const std::optional<Ends> ends = ends_of(connection.get());
  if (!ends) {
    return std::nullopt;
  }
  if (ends->ours.ss_family == AF_UNIX) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
               ? std::optional<std::uint32_t>(peer.uid)
               : std::nullopt;
  }
  return ends->ours.ss_family == AF_INET || ends->ours.ss_family == AF_INET6
             ? ask(question_of(*ends))
             : std::nullopt;
}

}  // namespace pi_mcp::io
