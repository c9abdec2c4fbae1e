#include "io/net/http_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/parser.h"
#include "http/proxy.h"
#include "http/url.h"
#include "io/loop/clock.h"
#include "io/loop/with_deadline.h"
#include "io/net/http_connections.h"
#include "io/net/socket.h"

namespace pi_mcp::io {
namespace {

constexpr std::size_t read_bytes = std::size_t{16} << 10U;
// Up to here head and body leave in one packet where they can.
constexpr std::size_t joined_bytes_max = std::size_t{64} << 10U;

// What an unused connection may be kept for, by the server's own word (Keep-Alive: timeout=5); a
// second less, because its clock runs out while our request is on its way.
Milliseconds keep_time(const http::Head& head, Milliseconds most) {
  const std::string value = text::lower(head.find("keep-alive"));
  constexpr std::string_view word = "timeout=";
  const std::size_t at = value.find(word);
  if (at == std::string::npos) {
    return most;
  }
  std::int64_t seconds = 0;
  const char* begin = value.data() + at + word.size();
  constexpr std::int64_t seconds_max = 3600;
  if (std::from_chars(begin, value.data() + value.size(), seconds).ec != std::errc()) {
    return most;
  }
  seconds = std::clamp<std::int64_t>(seconds - 1, 0, seconds_max);
  return std::min(most, Milliseconds(std::chrono::seconds(seconds)));
}

// A request that has been looked at: where it goes, and its bytes.
struct Outbound {
  http::Url url;
  std::optional<http::Url> proxy;
  std::shared_ptr<const http::AddressRule> named_under;
  std::string head;
  std::string body;
  http::HttpBody answer_body = http::HttpBody::as_declared;
};

bool sets(const http::Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(), [name](const http::Header& header) {
    return text::lower(header.name) == name;
  });
}

std::string head_text(const http::Request& request, const Outbound& out) {
  const bool through_proxy = out.proxy && !out.url.is_secure();
  std::string head = request.method;
  head += ' ';
  head += through_proxy ? out.url.text() : out.url.target();
  head += " HTTP/1.1\r\n";
  add_http_header(head, "Host", out.url.authority());
  for (const http::Header& header : request.headers) {
    add_http_header(head, header.name, header.value);
  }
  if (!out.url.user_info.empty() && !sets(request.headers, "authorization")) {
    add_http_header(head, "Authorization", http_basic_credentials(out.url));
  }
  if (through_proxy && !out.proxy->user_info.empty()) {
    add_http_header(head, "Proxy-Authorization", http_basic_credentials(*out.proxy));
  }
  if (!sets(request.headers, "user-agent")) {
    add_http_header(head, "User-Agent", "pi-mcp/" PI_MCP_VERSION);
  }
  add_http_header(head, "Accept-Encoding", "identity");  // nothing here unpacks
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    add_http_header(head, "Content-Length", std::to_string(request.body.size()));
  }
  head += "\r\n";
  return head;
}

Result<Outbound> prepare(http::Request& request, const HttpClientOptions& options) {
  Outbound out;
  Result<http::Url> url = http::parse_url(request.url);
  if (!url) {
    return fail(std::move(url).error());
  }
  out.url = *std::move(url);
  out.named_under = std::move(request.named_under);
  if (out.named_under) {
    if (Result<void> checked = http::check_named_url(out.url.text(), *out.named_under); !checked) {
      return fail(std::move(checked).error());
    }
  }
  for (const http::Header& header : request.headers) {
    if (!http::is_valid(header)) {
      return fail(ErrorCode::invalid_argument,
                  "the header " + text::printable(header.name) +
                      " cannot be sent: its name is not a token or its value has a line break");
    }
  }
  Result<std::optional<http::Url>> proxy = http::proxy_for(out.url, options.environment);
  if (!proxy) {
    return fail(std::move(proxy).error());
  }
  out.proxy = *std::move(proxy);
  out.head = head_text(request, out);
  out.body = std::move(request.body);
  out.answer_body = request.method == "HEAD" ? http::HttpBody::none : http::HttpBody::as_declared;
  if (out.body.size() <= joined_bytes_max) {
    out.head += std::exchange(out.body, {});
  }
  return out;
}

Task<Result<void>> write_request(Socket* socket, const Outbound* out) {
  const Result<void> head = co_await socket->write_all(out->head);
  if (!head || out->body.empty()) {
    co_return head;
  }
  co_return co_await socket->write_all(out->body);
}

HttpRoute route_of(const Outbound& out) {
  return {.url = out.url, .proxy = out.proxy, .named_under = out.named_under};
}

class Response final : public HttpResponse {
 public:
  Response(std::unique_ptr<PooledConnection> lease,
           const Outbound& out,
           const HttpClientOptions& options)
      : origin_(out.url.origin()),
        route_key_(route_of(out).key()),
        keep_max_(options.keep_alive_max),
        lease_(std::move(lease)),
        parser_(out.answer_body, options.limits) {}

  [[nodiscard]] const http::Head& head() const override { return parser_.head(); }
  [[nodiscard]] const std::string& origin() const override { return origin_; }
  [[nodiscard]] bool started() const { return parser_.started(); }

  Task<Result<void>> read_head() {
    Result<void> read = co_await read_http_head(lease_->socket.get(), &parser_, &chunk_);
    release_when_done();
    co_return read;
  }

  Task<Result<std::string_view>> read() override {
    if (is_given_) {
      chunk_.clear();
    }
    is_given_ = true;
    if (chunk_.empty() && !parser_.done()) {
      const Result<void> more = co_await read_more();
      if (!more) {
        lease_.reset();
        co_return fail(Error(more.error()).while_doing(origin_));
      }
    }
    co_return std::string_view(chunk_);
  }

 private:
  Task<Result<void>> read_more() {
    if (!lease_) {
      co_return fail(ErrorCode::unavailable, "the answer has failed before");
    }
    if (space_.empty()) {
      space_.resize(read_bytes);
    }
    while (chunk_.empty() && !parser_.done()) {
      const Result<std::size_t> count = co_await lease_->socket->read_some(space_);
      if (!count) {
        co_return count.error().code() == ErrorCode::io
            ? fail(ErrorCode::unavailable,
                   "the connection broke in the middle of an answer: " + count.error().message())
            : fail(count.error());
      }
      Result<void> fed =
          *count == 0 ? parser_.feed_end() : parser_.feed({space_.data(), *count}, chunk_);
      if (!fed) {
        co_return fed;
      }
    }
    release_when_done();
    co_return Result<void>();
  }

  void release_when_done() {
    if (lease_ && parser_.done()) {
      const bool again = parser_.keeps_alive() && !parser_.has_rest();
      lease_->give_back(route_key_, again ? keep_time(head(), keep_max_) : Milliseconds(0));
      lease_.reset();
    }
  }

  std::string origin_;
  std::string route_key_;
  Milliseconds keep_max_;
  std::unique_ptr<PooledConnection> lease_;  // until the end of the answer
  http::HttpParser parser_;
  std::string chunk_;
  std::vector<char> space_;
  bool is_given_ = false;  // chunk_ was handed out
};

Task<Result<std::unique_ptr<Response>>> exchange(std::shared_ptr<HttpConnections> state,
                                                 const Outbound* out,
                                                 std::optional<Milliseconds> head_max,
                                                 std::unique_ptr<PooledConnection> lease) {
  Socket* socket = lease->socket.get();
  auto response = std::make_unique<Response>(std::move(lease), *out, state->options());
  const Result<void> written =
      co_await with_deadline(state->options().write_max, "sending", write_request(socket, out));
  if (!written && written.error().code() != ErrorCode::io) {
    co_return fail(written.error());
  }
  // A server may refuse and hang up while we still send: its answer says why.
  Result<void> read;
  if (head_max) {
    read = co_await with_deadline(*head_max, "waiting for an answer", response->read_head());
  } else {
    read = co_await response->read_head();
  }
  if (!read && !response->started() && read.error().code() == ErrorCode::unavailable) {
    co_return std::move(response);  // the caller sees that nothing came
  }
  if (!read) {
    co_return fail(std::move(read).error());
  }
  co_return std::move(response);
}

}  // namespace

HttpClient::HttpClient(Executor executor, HttpClientOptions options)
    : state_(std::make_shared<HttpConnections>(std::move(executor), std::move(options))) {}

HttpClient::~HttpClient() {
  state_->drop_idle();
}

std::size_t HttpClient::idle_connections() const {
  return state_->idle();
}

Task<Result<std::unique_ptr<HttpResponse>>> HttpClient::send(http::Request request) {
  const std::shared_ptr<HttpConnections> state = state_;
  const bool may_repeat = request.may_repeat;
  const std::optional<Milliseconds> head_max = request.head_max;
  Result<Outbound> out = prepare(request, state->options());
  if (!out) {
    co_return fail(std::move(out).error());
  }
  const std::string origin = out->url.origin();
  auto reuse = HttpConnections::Reuse::allowed;
  for (;;) {
    auto lease = co_await HttpConnections::obtain(state, route_of(*out), reuse);
    if (!lease) {
      co_return fail(std::move(lease).error().while_doing(origin));
    }
    const bool again = (*lease)->is_reused && may_repeat;
    auto response = co_await exchange(state, &*out, head_max, *std::move(lease));
    if (!response) {
      co_return fail(std::move(response).error().while_doing(origin));
    }
    if ((*response)->started()) {
      co_return std::move(*response);
    }
    if (!again) {
      co_return fail(ErrorCode::unavailable,
                     origin + ": the connection was closed before an answer came");
    }
    reuse = HttpConnections::Reuse::never;
  }
}

namespace {

Task<Result<http::Answer>> read_answer(HttpClient* client,
                                       http::Request request,
                                       std::size_t body_max) {
  Result<std::unique_ptr<HttpResponse>> response = co_await client->send(std::move(request));
  if (!response) {
    co_return fail(std::move(response).error());
  }
  http::Answer answer;
  answer.head = (*response)->head();
  Result<std::string> body = co_await (*response)->read_all(body_max);
  if (!body) {
    co_return fail(std::move(body).error());
  }
  answer.body = *std::move(body);
  co_return answer;
}

}  // namespace

Task<Result<http::Answer>> HttpClient::fetch(http::Request request,
                                             Milliseconds limit,
                                             std::size_t body_max) {
  const Result<http::Url> url = http::parse_url(request.url);
  const std::string origin = url ? url->origin() : "the request";
  co_return co_await with_deadline(limit, origin, read_answer(this, std::move(request), body_max));
}

Task<Result<std::string>> HttpResponse::read_all(std::size_t bytes_max) {
  std::string body;
  for (;;) {
    const Result<std::string_view> bytes = co_await read();
    if (!bytes) {
      co_return fail(bytes.error());
    }
    if (bytes->empty()) {
      co_return body;
    }
    if (body.size() + bytes->size() > bytes_max) {
      co_return fail(ErrorCode::protocol,
                     origin() + ": its answer is larger than " + text::size_text(bytes_max));
    }
    body += *bytes;
  }
}

}  // namespace pi_mcp::io
