#include "io/net/http_connections.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/ascii.h"
#include "base/base64.h"
#include "http/proxy.h"
#include "io/loop/clock.h"
#include "io/loop/with_deadline.h"
#include "io/net/connect.h"
#include "io/net/tls.h"

namespace pi_mcp::io {

std::string http_basic_credentials(const http::Url& url) {
  return "Basic " + base64_encoded(ascii::percent_decoded(url.user_info));
}

void add_http_header(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

Task<Result<void>> read_http_head(Socket* socket, http::HttpParser* parser, std::string* body) {
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

// What a proxy in the way to `url` fails with; http::proxy_words() are part of `text`.
Error of_proxy(ErrorCode code, const std::string& text, const http::Url& url) {
  return Error(code, text + "; a host that NO_PROXY names is reached without it")
      .with(Remedy{.kind = Remedy::Kind::bypass_proxy, .subject = url.host});
}

// Asks the proxy for a way to the origin (RFC 9110, 9.3.6). `words`: http::proxy_words().
Task<Result<void>> open_tunnel(
    Socket* socket, http::Url url, http::Url proxy, std::string words, http::Limits limits) {
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
    co_return fail(of_proxy(ErrorCode::unavailable, words + " hung up", url));
  }
  http::HttpParser parser(http::HttpBody::none, limits);
  std::string body;
  Result<void> read = co_await read_http_head(socket, &parser, &body);
  if (!read) {
    const Error& error = read.error();
    co_return fail(error.code() == ErrorCode::cancelled
                       ? error
                       : of_proxy(error.code(), words + ": " + error.message(), url));
  }
  constexpr int ok = 200;
  constexpr int not_ok = 300;
  const int status = parser.head().status;
  if (status < ok || status >= not_ok || parser.has_rest()) {
    constexpr int wants_login = 407;
    const std::string said = words + " refused with status " + std::to_string(status);
    co_return fail(
        status == wants_login
            ? Error(ErrorCode::unavailable, said + "; give it \"user:password@\" in its variable")
            : of_proxy(ErrorCode::unavailable, said, url));
  }
  co_return Result<void>();
}

Task<Result<std::unique_ptr<Socket>>> start_tls_at(Fd fd,
                                                   http::Url url,
                                                   const HttpClientOptions* options) {
  TlsOptions tls;
  tls.host = url.host;
  tls.ca_file = options->ca_file;
  tls.environment = options->environment;
  co_return co_await start_tls(std::move(fd), std::move(tls));
}

}  // namespace

bool HttpConnections::is_own(const http::AddressRule& rule, http::Place place) const {
  return http::is_own_place(rule, place) ||
         std::any_of(rule.own_urls.begin(), rule.own_urls.end(), [&](const std::string& own) {
           const Result<http::Url> url = http::parse_url(own);
           const auto found = url ? places_.find(url->origin()) : places_.end();
           return found != places_.end() && found->second == place;
         });
}

bool HttpConnections::has_visited(const http::AddressRule& rule) const {
  return std::any_of(rule.own_urls.begin(), rule.own_urls.end(), [this](const std::string& own) {
    const Result<http::Url> url = http::parse_url(own);
    return url && places_.contains(url->origin());
  });
}

// Only a connection shows where a name is: whoever is asked for it twice may answer twice. With TLS
// a stranger cannot pretend that it is somewhere else.
Task<void> HttpConnections::visit_own_url(HttpConnections* connections, std::string url) {
  const Result<http::Url> own = http::parse_url(url);
  if (!own) {
    co_return;
  }
  const Result<std::optional<http::Url>> proxy =
      http::proxy_for(*own, connections->options_.environment);
  if (!proxy || *proxy) {
    co_return;  // the proxy knows where it is, we do not
  }
  // When it fails nothing is known, and nothing is allowed.
  (void)co_await connect(connections, {.url = *own, .proxy = {}, .named_under = nullptr});
}

// Those that the rule allows; the connection is made to one of them and to nothing else.
Task<Result<std::vector<Address>>> HttpConnections::allowed_addresses(HttpConnections* connections,
                                                                      const HttpRoute* route) {
  const http::Url& to = route->proxy ? *route->proxy : route->url;
  const auto& look_up = connections->options_.look_up;
  Result<std::vector<Address>> found =
      co_await (look_up ? look_up(to.host, to.port) : resolve(to.host, to.port));
  const http::AddressRule* rule = route->named_under.get();
  if (!found || rule == nullptr || route->proxy || http::is_private_host(*rule, route->url.host)) {
    co_return found;
  }
  const auto is_local = [](const Address& address) {
    return place_of(address) != http::Place::internet;
  };
  if (std::any_of(found->begin(), found->end(), is_local) && !rule->own_urls.empty() &&
      !connections->has_visited(*rule)) {
    co_await visit_own_url(connections, rule->own_urls.front());
  }
  std::vector<Address> allowed;
  for (const Address& address : *found) {
    if (!is_local(address) || connections->is_own(*rule, place_of(address))) {
      allowed.push_back(address);
    }
  }
  if (allowed.empty()) {
    const http::Place place = found->empty() ? http::Place::nowhere : place_of(found->front());
    co_return fail(http::refused_place(route->url, place));
  }
  co_return allowed;
}

Task<Result<std::unique_ptr<Socket>>> HttpConnections::connect(HttpConnections* connections,
                                                               HttpRoute route) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  const HttpClientOptions& options = connections->options_;
  Result<std::vector<Address>> addresses = co_await allowed_addresses(connections, &route);
  Result<Fd> fd = addresses ? co_await connect_tcp(*std::move(addresses))
                            : Result<Fd>(fail(std::move(addresses).error()));
  if (!fd) {
    if (route.proxy && fd.error().code() != ErrorCode::cancelled) {
      co_return fail(
          of_proxy(fd.error().code(),
                   http::proxy_words(route.url, options.environment) + ": " + fd.error().message(),
                   route.url));
    }
    co_return fail(std::move(fd).error());
  }
  const http::Place place = place_of(peer_of(*fd));
  if (route.proxy && route.url.is_secure()) {
    const std::unique_ptr<Socket> plain = make_plain_socket(executor, *std::move(fd));
    std::string words = http::proxy_words(route.url, options.environment);
    Result<void> opened = co_await open_tunnel(
        plain.get(), route.url, *route.proxy, std::move(words), options.limits);
    if (!opened) {
      co_return fail(std::move(opened).error());
    }
    fd = plain->release();
  }
  Result<std::unique_ptr<Socket>> socket =
      route.url.is_secure() ? co_await start_tls_at(*std::move(fd), route.url, &options)
                            : make_plain_socket(executor, *std::move(fd));
  if (socket && !route.proxy && !route.named_under) {
    connections->places_.insert_or_assign(route.url.origin(), place);
  }
  co_return socket;
}

std::unique_ptr<Socket> HttpConnections::take_idle(std::string_view key) {
  const TimePoint time = now();
  std::erase_if(idle_,
                [time](Idle& each) { return each.until <= time || !each.socket->is_quiet(); });
  const auto found = std::find_if(
      idle_.rbegin(), idle_.rend(), [key](const Idle& each) { return each.key == key; });
  if (found == idle_.rend()) {
    return nullptr;
  }
  std::unique_ptr<Socket> socket = std::move(found->socket);
  idle_.erase(std::next(found).base());
  return socket;
}

void HttpConnections::keep(Idle unused) {
  if (idle_.size() >= options_.connections_max) {  // as many as can be in use
    idle_.erase(idle_.begin());
  }
  idle_.push_back(std::move(unused));
}

PooledConnection::PooledConnection(std::shared_ptr<HttpConnections> connections)
    : connections_(std::move(connections)) {
  ++connections_->in_use_;
}

void PooledConnection::give_back(std::string key, Milliseconds for_time) {
  if (socket && for_time.count() > 0 && socket->is_quiet()) {
    connections_->keep(
        {.key = std::move(key), .socket = std::move(socket), .until = now() + for_time});
  }
  end();
}

void PooledConnection::end() {
  socket.reset();
  if (connections_) {
    --connections_->in_use_;
    connections_->freed_.notify_all();
    connections_.reset();
  }
}

Task<Result<std::unique_ptr<PooledConnection>>> HttpConnections::obtain(
    std::shared_ptr<HttpConnections> connections, HttpRoute route, Reuse reuse) {
  const HttpClientOptions& options = connections->options_;
  auto wake = Wake::notified;
  while (connections->in_use_ >= options.connections_max && wake == Wake::notified) {
    wake = co_await connections->freed_.wait();  // bounded by the caller's own limit
  }
  if (wake == Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  auto lease = std::make_unique<PooledConnection>(connections);
  if (reuse == Reuse::allowed) {
    lease->socket = connections->take_idle(route.key());
    lease->is_reused = lease->socket != nullptr;
  }
  if (!lease->is_reused) {
    Result<std::unique_ptr<Socket>> socket = co_await with_deadline(
        options.connect_max, "connecting", connect(connections.get(), std::move(route)));
    if (!socket) {
      co_return fail(std::move(socket).error());
    }
    lease->socket = *std::move(socket);
  }
  co_return lease;
}

}  // namespace pi_mcp::io
