#include "io/process/peer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

#include "io/files/memory_file.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

constexpr int peer_pidfd = 77;  // SO_PEERPIDFD, Linux 6.5; Debian 12's headers are older
constexpr std::string_view proof_prefix = "proof-";
constexpr std::size_t proof_bytes = 16;
// The same number in every process, so that it is found. The last of those that cost a process no
// memory, which nobody has taken when a process starts.
constexpr int proof_number = 63;

}  // namespace

PeerProcess connected_peer(int socket) {
  PeerProcess peer;
  struct ucred process{};
  socklen_t size = sizeof process;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &process, &size) == 0) {
    peer.id = process.pid;
  }
  int number = -1;
  size = sizeof number;
  if (::getsockopt(socket, SOL_SOCKET, peer_pidfd, &number, &size) == 0) {
    peer.alive.reset(number);
  }
  return peer;
}

PeerProcess process_now(pid_t id) {
  return {.id = id, .alive = Fd(static_cast<int>(::syscall(SYS_pidfd_open, id, 0)))};
}

bool is_alive(const PeerProcess& peer) {
  return peer.alive.is_open() && !ends_within(peer, Milliseconds(0));
}

bool ends_within(const PeerProcess& peer, Milliseconds limit) {
  const TimePoint deadline = now() + limit;
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(deadline - now()).count();
    struct pollfd event{.fd = peer.alive.get(), .events = POLLIN, .revents = 0};
    const int ready =
        ::poll(&event, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX)));
    if (ready >= 0 || errno != EINTR) {
      return ready > 0;
    }
  }
}

Result<Proof> Proof::make() {
  std::string secret = random_hex(proof_bytes);
  Result<Fd> file = make_memory_file(std::string(proof_prefix) + secret);
  if (!file) {
    return fail(std::move(file).error());
  }
  if (::fcntl(proof_number, F_GETFD) >= 0) {
    return fail(ErrorCode::io, "descriptor " + std::to_string(proof_number) + " is in use");
  }
  Fd numbered(::dup3(file->get(), proof_number, O_CLOEXEC));
  if (!numbered.is_open()) {
    return fail(ErrorCode::io,
                "cannot have descriptor " + std::to_string(proof_number) + ": " + reason(errno));
  }
  return Proof(std::move(secret), std::move(numbered));
}

std::string proof_of(pid_t process) {
  const std::string link =
      "/proc/" + std::to_string(process) + "/fd/" + std::to_string(proof_number);
  std::array<char, 256> target{};
  const ssize_t count = ::readlink(link.c_str(), target.data(), target.size());
  const std::string_view text(target.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  const std::string prefix = "/memfd:" + std::string(proof_prefix);
  return text.starts_with(prefix) ? std::string(text.substr(prefix.size(), 2 * proof_bytes)) : "";
}

}  // namespace pi_mcp::io
