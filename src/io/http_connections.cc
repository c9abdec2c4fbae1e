#include "io/http_connections.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/base64.h"
#include "io/clock.h"
#include "io/connect.h"
#include "io/tls.h"
#include "io/with_deadline.h"

namespace pi_mcp::io {

std::string http_basic_credentials(const Url& url) {
  return "Basic " + base64_encoded(percent_decoded(url.user_info));
}

void add_http_header(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

Task<Result<void>> read_http_head(Socket* socket, HttpParser* parser, std::string* body) {
  constexpr std::size_t read_bytes = std::size_t{16} << 10U;
  std::array<char, read_bytes> space{};
  while (!parser->head_done()) {
    const Result<std::size_t> count = co_await socket->read_some(space);
    if (!count) {
      co_return count.error().code() == ErrorCode::io
          ? fail(ErrorCode::unavailable,
                 "the connection broke before an answer came: " + count.error().message())
          : fail(count.error());
    }
    const Result<void> fed =
        *count == 0 ? parser->feed_end() : parser->feed({space.data(), *count}, *body);
    if (!fed) {
      co_return fed;
    }
  }
  co_return Result<void>();
}

namespace {

// Asks the proxy for a way to the origin (RFC 9110, 9.3.6).
Task<Result<void>> open_tunnel(Socket* socket, Url url, Url proxy, HttpLimits limits) {
  const std::string to =
      (url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]") + ":" +
      std::to_string(url.port);
  std::string head = "CONNECT " + to + " HTTP/1.1\r\n";
  add_http_header(head, "Host", to);
  if (!proxy.user_info.empty()) {
    add_http_header(head, "Proxy-Authorization", http_basic_credentials(proxy));
  }
  head += "\r\n";
  const Result<void> written = co_await socket->write_all(head);
  if (!written) {
    co_return fail(ErrorCode::unavailable, "the proxy " + proxy.origin() + " hung up");
  }
  HttpParser parser(HttpBody::none, limits);
  std::string body;
  Result<void> read = co_await read_http_head(socket, &parser, &body);
  if (!read) {
    co_return fail(std::move(read).error().while_doing("the proxy " + proxy.origin()));
  }
  constexpr int ok = 200;
  constexpr int not_ok = 300;
  const int status = parser.head().status;
  if (status < ok || status >= not_ok || parser.has_rest()) {
    constexpr int wants_login = 407;
    co_return fail(
        ErrorCode::unavailable,
        "the proxy " + proxy.origin() + " refused with status " + std::to_string(status) +
            (status == wants_login ? "; give it \"user:password@\" in its variable" : ""));
  }
  co_return Result<void>();
}

Task<Result<std::unique_ptr<Socket>>> connect(Url url,
                                              std::optional<Url> proxy,
                                              HttpClientOptions options) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  const Url& to = proxy ? *proxy : url;
  Result<Fd> fd = co_await connect_tcp(to.host, to.port);
  if (!fd) {
    if (proxy && fd.error().code() != ErrorCode::cancelled) {
      co_return fail(std::move(fd).error().while_doing("the proxy " + proxy->origin()));
    }
    co_return fail(std::move(fd).error());
  }
  if (!url.is_secure()) {
    co_return make_plain_socket(executor, *std::move(fd));
  }
  if (proxy) {
    const std::unique_ptr<Socket> plain = make_plain_socket(executor, *std::move(fd));
    Result<void> opened = co_await open_tunnel(plain.get(), url, *proxy, options.limits);
    if (!opened) {
      co_return fail(std::move(opened).error());
    }
    fd = plain->release();
  }
  TlsOptions tls;
  tls.host = url.host;
  tls.ca_file = std::move(options.ca_file);
  tls.environment = std::move(options.environment);
  co_return co_await start_tls(*std::move(fd), std::move(tls));
}

}  // namespace

std::unique_ptr<Socket> HttpConnections::take_idle(std::string_view origin) {
  const TimePoint time = now();
  std::erase_if(idle_,
                [time](Idle& each) { return each.until <= time || !each.socket->is_quiet(); });
  const auto found = std::find_if(
      idle_.rbegin(), idle_.rend(), [origin](const Idle& each) { return each.origin == origin; });
  if (found == idle_.rend()) {
    return nullptr;
  }
  std::unique_ptr<Socket> socket = std::move(found->socket);
  idle_.erase(std::next(found).base());
  return socket;
}

void HttpConnections::keep(Idle unused) {
  constexpr std::size_t idle_max = 8;  // bursts are rare; each costs the server a descriptor too
  if (idle_.size() >= idle_max) {
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(unused));
}

HttpLease::HttpLease(std::shared_ptr<HttpConnections> connections)
    : connections_(std::move(connections)) {
  ++connections_->in_use_;
}

void HttpLease::give_back(std::string origin, Milliseconds for_time) {
  if (socket && for_time.count() > 0 && socket->is_quiet()) {
    connections_->keep(
        {.origin = std::move(origin), .socket = std::move(socket), .until = now() + for_time});
  }
  end();
}

void HttpLease::end() {
  socket.reset();
  if (connections_) {
    --connections_->in_use_;
    connections_->freed_.notify_all();
    connections_.reset();
  }
}

Task<Result<std::unique_ptr<HttpLease>>> HttpConnections::obtain(
    std::shared_ptr<HttpConnections> connections, Url url, std::optional<Url> proxy, Reuse reuse) {
  const HttpClientOptions& options = connections->options_;
  auto wake = Wake::notified;
  while (connections->in_use_ >= options.connections_max && wake == Wake::notified) {
    wake = co_await connections->freed_.wait();  // bounded by the caller's own limit
  }
  if (wake == Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  auto lease = std::make_unique<HttpLease>(connections);
  if (reuse == Reuse::allowed) {
    lease->socket = connections->take_idle(url.origin());
    lease->is_reused = lease->socket != nullptr;
  }
  if (!lease->is_reused) {
    Result<std::unique_ptr<Socket>> socket = co_await with_deadline(
        options.connect_max, "connecting", connect(std::move(url), std::move(proxy), options));
    if (!socket) {
      co_return fail(std::move(socket).error());
    }
    lease->socket = *std::move(socket);
  }
  co_return lease;
}

}  // namespace pi_mcp::io
