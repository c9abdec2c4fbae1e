#include "replicas/forwarder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "http/url.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/net/connect.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view mark_header = "Pi-Mcp-Forwarded";
constexpr std::string_view mark_purpose = "forward 1";
constexpr Milliseconds drain_pause{10};

// Of one connection alone (RFC 9110, section 7.6.1), and what both sides write themselves.
constexpr std::array<std::string_view, 12> own_headers = {"connection",
                                                          "keep-alive",
                                                          "proxy-connection",
                                                          "te",
                                                          "trailer",
                                                          "transfer-encoding",
                                                          "upgrade",
                                                          "expect",
                                                          "host",
                                                          "content-length",
                                                          "date",
                                                          "accept-encoding"};

http::Headers passed_on(const http::Headers& headers) {
  http::Headers passed;
  std::ranges::copy_if(headers, std::back_inserter(passed), [](const http::Header& header) {
    const std::string name = text::lower(header.name);
    return std::ranges::find(own_headers, name) == own_headers.end() &&
           name != text::lower(mark_header);
  });
  return passed;
}

io::HttpClientOptions client_options(const std::map<std::string, std::string>& environment) {
  io::HttpClientOptions options;
  // Nothing of proxies: replicas are neighbours.
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}) {
    if (const auto found = environment.find(name); found != environment.end()) {
      options.environment.insert(*found);
    }
  }
  options.connections_max = Forwarder::connections_max;
  options.connect_max = Milliseconds(5'000);
  return options;
}

}  // namespace

Forwarder::Forwarder(const io::Executor& executor,
                     const access::SessionKeys& keys,
                     const std::map<std::string, std::string>& environment)
    : keys_(keys), client_(executor, client_options(environment)) {}

Origin Forwarder::origin_of(const http::RequestHead& head) const {
  const std::vector<std::string_view> marks = http::find_headers(head.headers, mark_header);
  if (marks.empty()) {
    return Origin::client;
  }
  const std::optional<std::string> made =
      marks.size() == 1 ? keys_.open(mark_purpose, marks.front()) : std::nullopt;
  std::int64_t at = 0;
  if (!made || std::from_chars(made->data(), made->data() + made->size(), at).ec != std::errc() ||
      std::abs(io::epoch_now().value / 1000 - at) > mark_seconds.count()) {
    return Origin::forged;
  }
  return Origin::replica;
}

io::Task<Result<Forwarder::Outcome>> Forwarder::forward(std::shared_ptr<io::HttpExchange> exchange,
                                                        std::string body,
                                                        std::string url) {
  const http::RequestHead& head = exchange->head();
  http::Request request{.method = head.method,
                        .url = url + head.target,
                        .headers = passed_on(head.headers),
                        .body = std::move(body),
                        .may_repeat = false,
                        .named_under = nullptr,
                        .head_max = std::nullopt};
  request.headers.push_back(
      {.name = std::string(mark_header),
       .value = keys_.seal(mark_purpose, std::to_string(io::epoch_now().value / 1000))});
  Result<std::unique_ptr<io::HttpResponse>> response = co_await client_.send(std::move(request));
  if (!response) {
    const Result<http::Url> place = http::parse_url(url);
    if (response.error().code() == ErrorCode::unavailable && place &&
        co_await io::is_refused(place->host, place->port, look_max)) {
      co_return Outcome::gone;
    }
    co_return fail(response.error());
  }
  const http::Head& answer = (*response)->head();
  if (answer.status == misplaced_status) {
    co_return Outcome::misplaced;
  }
  if (answer.content_type() != "text/event-stream") {
    Result<std::string> whole = co_await (*response)->read_all(answer_bytes_max);
    if (!whole) {
      co_return fail(whole.error());
    }
    exchange->reply({.status = answer.status,
                     .headers = passed_on(answer.headers),
                     .body = *std::move(whole),
                     .more = {}});
    co_return Outcome::answered;
  }
  co_await stream(response->get(), exchange.get());
  co_return Outcome::answered;
}

io::Task<void> Forwarder::stream(io::HttpResponse* response, io::HttpExchange* exchange) {
  exchange->begin(response->head().status, passed_on(response->head().headers));
  for (;;) {
    const Result<std::string_view> piece = co_await response->read();
    if (!piece || piece->empty()) {
      break;  // a stream that broke is one that its client comes back to
    }
    exchange->write(SharedText(std::string(*piece)));
    while (exchange->queued() > queued_bytes_max && co_await io::sleep_for(drain_pause)) {
    }
  }
  exchange->end();
}

}  // namespace pi_mcp::replicas
