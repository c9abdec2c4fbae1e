#include "io/net/resolve.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "io/files/fd.h"
#include "io/loop/stream.h"
#include "io/net/name_services.h"

namespace pi_mcp::io {
namespace {

constexpr std::size_t addresses_max = 16;
// A look-up that hangs holds its thread (a few pages) until the system gives up.
constexpr int lookups_max = 64;

std::atomic<int>& lookups_under_way() {
  static std::atomic<int> count = 0;
  return count;
}

std::vector<Address> alternating(const std::vector<Address>& found) {
  std::vector<Address> first;
  std::vector<Address> second;
  for (const Address& address : found) {
    const bool like_first = address.storage.ss_family == found.front().storage.ss_family;
    (like_first ? first : second).push_back(address);
  }
  std::vector<Address> all;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) {
      all.push_back(first[i]);
    }
    if (i < second.size()) {
      all.push_back(second[i]);
    }
  }
  all.resize(std::min(all.size(), addresses_max));
  return all;
}

// 0, or what getaddrinfo() said.
int look_up(const std::string& host, std::uint16_t port, int flags, std::vector<Address>& found) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  for (const addrinfo* each = error == 0 ? list : nullptr; each != nullptr; each = each->ai_next) {
    if (each->ai_addrlen <= sizeof(sockaddr_storage)) {
      Address address;
      std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
      address.length = each->ai_addrlen;
      found.push_back(address);
    }
  }
  if (error == 0) {
    ::freeaddrinfo(list);
  }
  return error;
}

// Shared by the task that waits and the thread that looks; whoever is last frees it.
struct LookUp {
  std::string host;
  std::uint16_t port = 0;
  Fd done;  // closed by the thread at its end: wakes the task
  std::mutex mutex;
  std::vector<Address> found;
  int error = 0;
};

void run(const std::shared_ptr<LookUp>& work) {
  use_files_and_dns();
  std::vector<Address> found;
  const int error = look_up(work->host, work->port, AI_ADDRCONFIG, found);
  {
    const std::scoped_lock lock(work->mutex);
    work->found = std::move(found);
    work->error = error;
  }
  --lookups_under_way();
  work->done.reset();
}

tl::unexpected<Error> not_found(const std::string& host, int error) {
  if (error != EAI_NONAME && error != EAI_NODATA) {
    return fail(ErrorCode::unavailable,
                std::string("its name could not be looked up: ") + ::gai_strerror(error));
  }
  return fail(ErrorCode::unavailable,
              host.ends_with(".local")
                  ? "no such host is known; .local names are not looked up in the neighbourhood "
                    "(mDNS): use its address, or name it in /etc/hosts"
                  : "no such host is known; check the name and the network");
}

Result<Fd> start(const std::shared_ptr<LookUp>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail(ErrorCode::unavailable, reason(errno));
  }
  Fd wakes(ends[0]);
  work->done.reset(ends[1]);
  if (++lookups_under_way() > lookups_max) {
    --lookups_under_way();
    return fail(ErrorCode::unavailable, "too many names are being looked up; is DNS working?");
  }
  try {
    std::thread([work] { run(work); }).detach();
  } catch (const std::system_error& error) {
    --lookups_under_way();
    return fail(ErrorCode::unavailable, error.what());
  }
  return wakes;
}

std::vector<Address> loopback(std::uint16_t port) {
  std::vector<Address> both;
  (void)look_up("127.0.0.1", port, AI_NUMERICHOST, both);  // a constant is always an address
  (void)look_up("::1", port, AI_NUMERICHOST, both);
  return both;
}

}  // namespace

http::Place place_of(const Address& address) {
  http::IpAddress ip;
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address.storage, sizeof(v4));
    return pi_mcp::http::place_of(http::ipv4_address(ntohl(v4.sin_addr.s_addr)));
  }
  if (address.storage.ss_family != AF_INET6) {
    return http::Place::nowhere;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address.storage, sizeof(v6));
  std::memcpy(ip.bytes.data(), &v6.sin6_addr, ip.bytes.size());
  return pi_mcp::http::place_of(ip);
}

Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port) {
  if (host == "localhost" || host.ends_with(".localhost")) {  // RFC 6761, 6.3
    co_return loopback(port);
  }
  std::vector<Address> literal;
  if (look_up(host, port, AI_NUMERICHOST, literal) == 0) {
    co_return literal;
  }
  const auto work = std::make_shared<LookUp>();
  work->host = std::move(host);
  work->port = port;
  Result<Fd> wakes = start(work);
  if (!wakes) {
    co_return fail(std::move(wakes).error());
  }
  ReadStream done(co_await boost::asio::this_coro::executor, *std::move(wakes));
  const Result<void> ended = co_await done.wait_for_bytes();
  if (!ended) {
    co_return fail(ended.error());
  }
  const std::scoped_lock lock(work->mutex);
  if (work->error != 0 || work->found.empty()) {
    co_return not_found(work->host, work->error != 0 ? work->error : EAI_NONAME);
  }
  co_return alternating(work->found);
}

}  // namespace pi_mcp::io
