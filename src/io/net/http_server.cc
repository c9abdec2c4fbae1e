#include "io/net/http_server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <exception>
#include <span>
#include <unordered_map>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "io/loop/write_batch.h"
#include "io/net/http_connection.h"
#include "io/net/peer_user.h"
#include "io/net/readiness.h"
#include "io/net/socket.h"

namespace pi_mcp::io {
namespace {

namespace asio = boost::asio;
using Protocol = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Protocol>;

constexpr std::string_view unix_prefix = "unix:";
constexpr std::size_t space_bytes = std::size_t{64} << 10U;
constexpr Milliseconds refused_pause{100};  // when the system has no descriptors left

struct Endpoint {
  Protocol::endpoint endpoint;
  std::string path;  // of a Unix socket
};

Result<Endpoint> parse_address(const std::string& address) {
  if (address.starts_with(unix_prefix)) {
    const std::string path = address.substr(unix_prefix.size());
    if (path.empty() || path.size() >= sizeof(sockaddr_un::sun_path)) {
      return fail(ErrorCode::invalid_argument,
                  "\"" + address + "\": the path of a Unix socket has 1 to " +
                      std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes");
    }
    return Endpoint{.endpoint = asio::local::stream_protocol::endpoint(path), .path = path};
  }
  const std::size_t colon = address.rfind(':');
  const std::string_view all = address;
  const std::string_view port_text = colon == std::string::npos ? "" : all.substr(colon + 1);
  std::string host(all.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  std::uint16_t port = 0;
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  boost::system::error_code wrong;
  const asio::ip::address ip =
      asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, wrong);
  if (wrong || error != std::errc() || end != port_text.data() + port_text.size()) {
    return fail(ErrorCode::invalid_argument,
                "\"" + address +
                    "\" is no address to listen on: write 127.0.0.1:8808, [::1]:8808 or unix:PATH");
  }
  return Endpoint{.endpoint = asio::ip::tcp::endpoint(ip, port), .path = ""};
}

// A socket file that nobody listens on any more is in the way; one that somebody does is not ours.
bool is_listening(const Protocol::endpoint& endpoint) {
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return probe.is_open() &&
         ::connect(probe.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0;
}

std::string text_of(const Protocol::endpoint& endpoint, const std::string& path) {
  if (!path.empty()) {
    return std::string(unix_prefix) + path;
  }
  asio::ip::tcp::endpoint ip;
  std::memcpy(ip.data(), endpoint.data(), endpoint.size());
  const std::string host = ip.address().to_string();
  return (ip.address().is_v6() ? "[" + host + "]" : host) + ":" + std::to_string(ip.port());
}

HttpPeer peer_of_connection(const Fd& connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(connection.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return {.address = "gone", .is_unix = false, .is_here = false, .user = std::nullopt};
  }
  if (address.ss_family == AF_UNIX) {
    return {.address = "unix", .is_unix = true, .is_here = true, .user = peer_user(connection)};
  }
  asio::ip::tcp::endpoint ip;
  std::memcpy(ip.data(), &address, std::min<std::size_t>(size, ip.capacity()));
  const bool is_here = ip.address().is_loopback();
  return {.address = ip.address().to_string(),
          .is_unix = false,
          .is_here = is_here,
          .user = is_here ? peer_user(connection) : std::nullopt};
}

}  // namespace

struct HttpServer::State {
  State(const Executor& given,
        HttpHandler& handler,
        HttpServerLimits limits,
        TlsIdentity* identity,
        std::unique_ptr<Readiness> readiness)
      : executor(given),
        identity(identity),
        acceptor(given),
        space(space_bytes, '\0'),
        readiness(std::move(readiness)),
        shared{.handler = handler,
               .limits = limits,
               .space = space,
               .batches = WriteBatches::of(given),
               .readiness = *this->readiness,
               .ended =
                   [this](std::uint64_t key) {
                     ended.push_back(key);
                     has_ended.notify_all();
                   }},
        has_ended(given),
        tasks(given) {}

  Result<void> listen(const Endpoint& wanted);
  Task<void> accept_all();
  Task<void> serve_all();
  static void tell(HttpConnection& connection, const Readiness::Event& event);
  Task<void> forget_ended();
  Task<void> shake_hands(Fd fd, HttpPeer peer);
  Task<void> look_at_clock();
  [[nodiscard]] std::vector<std::shared_ptr<HttpConnection>> all() const;
  void welcome(Fd fd);
  void begin(std::unique_ptr<Socket> socket, HttpPeer peer);
  void stop_listening();

  Executor executor;
  TlsIdentity* identity;  // null: without TLS
  Acceptor acceptor;
  std::string space;
  std::unique_ptr<Readiness> readiness;
  HttpShared shared;
  std::unordered_map<std::uint64_t, std::shared_ptr<HttpConnection>> connections;  // by key
  std::uint64_t last_key = 0;
  std::vector<std::uint64_t> ended;  // connections that are to be forgotten
  Condition has_ended;
  std::size_t shaking = 0;  // clients that are not connections yet
  std::string address;
  std::string path;  // of a Unix socket that is ours
  TaskGroup tasks;
};

Result<void> HttpServer::State::listen(const Endpoint& wanted) {
  boost::system::error_code error;
  const auto step = [&error](auto&& act) {
    if (!error) {
      act();
    }
  };
  const bool is_unix = !wanted.path.empty();
  if (is_unix && !is_listening(wanted.endpoint)) {
    struct stat found{};
    if (::lstat(wanted.path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) {
      (void)::unlink(wanted.path.c_str());
    }
  }
  step([&] { acceptor.open(wanted.endpoint.protocol(), error); });
  step([&] { acceptor.set_option(asio::socket_base::reuse_address(true), error); });
  const mode_t before = ::umask(is_unix ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH);
  step([&] { acceptor.bind(wanted.endpoint, error); });
  (void)::umask(before);
  step([&] { acceptor.listen(asio::socket_base::max_listen_connections, error); });
  if (error) {
    return fail(ErrorCode::io, error.message());
  }
  path = wanted.path;
  address = text_of(acceptor.local_endpoint(error), path);
  return {};
}

Task<void> HttpServer::State::accept_all() {
  constexpr auto awaited = asio::as_tuple(asio::use_awaitable);
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(awaited);
    const auto cancelled = co_await asio::this_coro::cancellation_state;
    if (is_cancelled(cancelled) || !acceptor.is_open()) {
      co_return;
    }
    if (error) {
      log::warning("http: cannot take a connection: " + error.message());
      (void)co_await sleep_for(refused_pause);
      continue;
    }
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    welcome(Fd(socket.release(ignored)));
  }
}

void HttpServer::State::welcome(Fd fd) {
  HttpPeer peer = peer_of_connection(fd);
  const int no_delay = 1;
  (void)::setsockopt(fd.get(), IPPROTO_TCP, 1 /* TCP_NODELAY */, &no_delay, sizeof no_delay);
  if (identity != nullptr) {
    tasks.spawn("tls client", shake_hands(std::move(fd), std::move(peer)), log_only);
    return;
  }
  begin(make_plain_socket(executor, std::move(fd)), std::move(peer));
}

// A client has as long as for the head of a request.
Task<void> HttpServer::State::shake_hands(Fd fd, HttpPeer peer) {
  if (connections.size() + shaking >= shared.limits.connections_max) {
    co_return;  // no 503 can be said here
  }
  ++shaking;
  Result<std::unique_ptr<Socket>> socket = co_await with_deadline(
      shared.limits.head_max, "TLS", accept_tls(std::move(fd), identity->context()));
  --shaking;
  if (socket) {
    (*socket)->leave_loop();
    begin(*std::move(socket), std::move(peer));
  } else {
    log::debug("http: " + peer.address + ": " + socket.error().message());
  }
}

void HttpServer::State::begin(std::unique_ptr<Socket> socket, HttpPeer peer) {
  const bool is_one_too_many = connections.size() >= shared.limits.connections_max;
  const std::uint64_t key = ++last_key;
  auto connection =
      std::make_shared<HttpConnection>(shared, key, std::move(socket), std::move(peer));
  connections.emplace(key, connection);
  connection->start();
  if (is_one_too_many) {
    connection->turn_away();
  }
}

// What an exception has interrupted is no reason to leave the other clients alone.
void HttpServer::State::tell(HttpConnection& connection, const Readiness::Event& event) {
  try {
    connection.on_ready(event);
  } catch (const std::exception& escaped) {
    log::error("bug: a request over HTTP ended by an exception: " + std::string(escaped.what()));
    connection.abort();
  }
}

// Requests that are here together go to their servers together.
Task<void> HttpServer::State::serve_all() {
  for (;;) {
    const Result<std::span<const Readiness::Event>> ready = co_await readiness->wait();
    if (!ready) {
      if (ready.error().code() != ErrorCode::cancelled) {
        log::error("http: cannot wait for clients any more: " + ready.error().message());
      }
      co_return;
    }
    const WriteBatch batch(shared.batches);
    for (const Readiness::Event& event : *ready) {
      if (const auto found = connections.find(event.key); found != connections.end()) {
        tell(*found->second, event);
      }
    }
  }
}

// Not where they end, because that may be while somebody uses them.
Task<void> HttpServer::State::forget_ended() {
  Wake wake = Wake::notified;
  while (wake != Wake::cancelled) {
    for (const std::uint64_t key : std::exchange(ended, {})) {
      if (const auto node = connections.extract(key)) {
        node.mapped()->tell_gone();
      }
    }
    if (ended.empty()) {
      wake = co_await has_ended.wait();
    }
  }
}

// Whoever is told something may end others.
std::vector<std::shared_ptr<HttpConnection>> HttpServer::State::all() const {
  std::vector<std::shared_ptr<HttpConnection>> all;
  all.reserve(connections.size());
  for (const auto& [key, connection] : connections) {
    all.push_back(connection);
  }
  return all;
}

Task<void> HttpServer::State::look_at_clock() {
  while (co_await sleep_for(shared.limits.look_pause)) {
    if (identity != nullptr) {
      identity->look();
    }
    const TimePoint time = now();
    for (const auto& [key, connection] : connections) {
      connection->look_at_clock(time);  // ends none at once
    }
  }
}

void HttpServer::State::stop_listening() {
  boost::system::error_code ignored;
  acceptor.close(ignored);
  if (!path.empty()) {
    (void)::unlink(std::exchange(path, {}).c_str());
  }
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::open(const Executor& executor,
                                                     const std::string& address,
                                                     HttpHandler& handler,
                                                     HttpServerLimits limits,
                                                     TlsIdentity* identity) {
  const Result<Endpoint> wanted = parse_address(address);
  if (!wanted) {
    return fail(wanted.error());
  }
  Result<std::unique_ptr<Readiness>> readiness = Readiness::open(executor);
  if (!readiness) {
    return fail(readiness.error());
  }
  auto state = std::make_unique<State>(executor, handler, limits, identity, *std::move(readiness));
  if (const Result<void> listens = state->listen(*wanted); !listens) {
    return fail(ErrorCode::io, "cannot listen on " + address + ": " + listens.error().message());
  }
  state->tasks.spawn("http listener", state->accept_all(), log_only);
  state->tasks.spawn("http clients", state->serve_all(), log_only);
  state->tasks.spawn("http clients that end", state->forget_ended(), log_only);
  state->tasks.spawn("http clock", state->look_at_clock(), log_only);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

const std::string& HttpServer::address() const {
  return state_->address;
}

void HttpServer::drain() {
  state_->stop_listening();
  state_->shared.is_draining = true;
  for (const std::shared_ptr<HttpConnection>& connection : state_->all()) {
    connection->drain();
  }
}

std::size_t HttpServer::connections() const {
  return state_->connections.size();
}

std::size_t HttpServer::under_way() const {
  return state_->shared.under_way;
}

Task<void> HttpServer::close() {
  state_->stop_listening();
  state_->tasks.cancel();
  co_await state_->tasks.join();
  for (const std::shared_ptr<HttpConnection>& connection : state_->all()) {
    connection->tell_gone();
  }
  state_->connections.clear();
}

}  // namespace pi_mcp::io
