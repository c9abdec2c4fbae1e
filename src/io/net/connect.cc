#include "io/net/connect.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/stream.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "io/net/resolve.h"

namespace pi_mcp::io {
namespace {

constexpr Milliseconds next_address_after{250};  // RFC 8305, section 8

// Attempts at the addresses of one host; the first connection wins.
struct Race {
  explicit Race(const Executor& executor) : changed(executor), attempts(executor) {}

  Fd winner;
  std::size_t failed = 0;
  int last_error = 0;
  Condition changed;  // winner or failed
  TaskGroup attempts;
};

// What became of one attempt.
struct Attempt {
  Fd fd;
  int error = 0;  // errno
};

// The error of a connection that was under way, once it is over. cancelled.
Task<Result<int>> connect_outcome(Executor executor, const Fd* fd) {
  Fd watched = duplicate(*fd);  // the stream closes what it watches
  if (!watched.is_open()) {
    co_return errno;
  }
  WriteStream stream(executor, std::move(watched));
  const Result<void> ready = co_await stream.wait_for_room();
  if (!ready) {
    co_return fail(ready.error());
  }
  int error = 0;
  socklen_t size = sizeof(error);
  (void)::getsockopt(fd->get(), SOL_SOCKET, SO_ERROR, &error, &size);
  co_return error;
}

// The only Error is cancelled.
Task<Result<Attempt>> connect_address(Executor executor, Address address) {
  Attempt attempt;
  attempt.fd.reset(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!attempt.fd.is_open()) {
    attempt.error = errno;
    co_return attempt;
  }
  const auto* to = reinterpret_cast<const sockaddr*>(&address.storage);
  attempt.error = ::connect(attempt.fd.get(), to, address.length) == 0 ? 0 : errno;
  if (attempt.error == EINPROGRESS) {
    const Result<int> outcome = co_await connect_outcome(executor, &attempt.fd);
    if (!outcome) {
      co_return fail(outcome.error());
    }
    attempt.error = *outcome;
  }
  co_return attempt;
}

Task<void> join_race(Race* race, Executor executor, Address address) {
  Result<Attempt> attempt = co_await connect_address(executor, address);
  if (!attempt) {
    co_return;
  }
  if (attempt->error != 0) {
    ++race->failed;
    race->last_error = attempt->error;
  } else if (!race->winner.is_open()) {
    const int on = 1;  // requests are small and somebody waits for the answer
    (void)::setsockopt(attempt->fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    (void)::setsockopt(attempt->fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    race->winner = std::move(attempt->fd);
  }
  race->changed.notify_all();
}

// Returns when there is a winner, all have failed, or the waiting task was cancelled.
Task<Wake> run_race(Race* race, Executor executor, std::vector<Address> addresses) {
  auto wake = Wake::notified;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    race->attempts.spawn(
        "connect", join_race(race, executor, addresses[i]), [race](const std::string& /*what*/) {
          ++race->failed;
          race->last_error = ENOMEM;
          race->changed.notify_all();
        });
    const bool is_last = i + 1 == addresses.size();
    const TimePoint deadline = is_last ? TimePoint::max() : now() + next_address_after;
    wake = Wake::notified;
    while (!race->winner.is_open() && race->failed <= i && wake == Wake::notified) {
      wake = co_await race->changed.wait_until(deadline);
    }
    if (race->winner.is_open() || wake == Wake::cancelled) {
      break;
    }
  }
  co_return wake;
}

Task<Result<bool>> each_refuses(std::string host, std::uint16_t port) {
  const Result<std::vector<Address>> addresses = co_await resolve(std::move(host), port);
  const Executor executor = co_await boost::asio::this_coro::executor;
  if (!addresses) {
    co_return false;
  }
  for (const Address& address : *addresses) {
    const Result<Attempt> attempt = co_await connect_address(executor, address);
    if (!attempt || attempt->error != ECONNREFUSED) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace

Task<bool> is_refused(std::string host, std::uint16_t port, Milliseconds limit) {
  const Result<bool> refused =
      co_await with_deadline(limit, "connecting", each_refuses(std::move(host), port));
  co_return refused && *refused;
}

Fd duplicate(const Fd& fd) {
  return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
}

Address peer_of(const Fd& fd) {
  Address peer;
  peer.length = sizeof(peer.storage);
  if (::getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer.storage), &peer.length) != 0) {
    return {};
  }
  return peer;
}

Task<Result<Fd>> connect_tcp(std::string host, std::uint16_t port) {
  Result<std::vector<Address>> addresses = co_await resolve(std::move(host), port);
  if (!addresses) {
    co_return fail(std::move(addresses).error());
  }
  co_return co_await connect_tcp(*std::move(addresses));
}

Task<Result<Fd>> connect_tcp(std::vector<Address> addresses) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  Race race(executor);
  const Wake wake = co_await run_race(&race, executor, std::move(addresses));
  race.attempts.cancel();
  co_await race.attempts.join();
  if (race.winner.is_open()) {
    co_return std::move(race.winner);
  }
  if (wake == Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  co_return fail(ErrorCode::unavailable,
                 race.last_error == ECONNREFUSED
                     ? "nothing listens there (connection refused); is the server running?"
                     : "could not connect: " + reason(race.last_error));
}

Task<Result<Fd>> connect_unix(std::string path) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(to.sun_path)) {
    co_return fail(ErrorCode::invalid_argument,
                   "the path of the socket is empty or longer than " +
                       std::to_string(sizeof(to.sun_path) - 1) + " bytes");
  }
  std::memcpy(to.sun_path, path.data(), path.size());
  Address address;
  std::memcpy(&address.storage, &to, sizeof(to));
  address.length = sizeof(to);
  const Executor executor = co_await boost::asio::this_coro::executor;
  Result<Attempt> attempt = co_await connect_address(executor, address);
  if (!attempt) {
    co_return fail(std::move(attempt).error());
  }
  if (attempt->error == 0) {
    co_return std::move(attempt->fd);
  }
  co_return fail(ErrorCode::unavailable,
                 attempt->error == ECONNREFUSED
                     ? "nothing listens at the socket " + path + "; is the server running?"
                     : "the socket " + path + ": " + reason(attempt->error));
}

Result<std::pair<Fd, Fd>> connected_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(ErrorCode::io, reason(errno));
  }
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

}  // namespace pi_mcp::io
