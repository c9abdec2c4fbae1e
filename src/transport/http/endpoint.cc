#include "transport/http/endpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "http/date.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "json/document.h"

namespace pi_mcp::transport {
namespace {

namespace status {
constexpr int ok = 200;
constexpr int moved = 301;
constexpr int found = 302;
constexpr int see_other = 303;
constexpr int temporary_redirect = 307;
constexpr int permanent_redirect = 308;
constexpr int unauthorized = 401;
constexpr int forbidden = 403;
constexpr int not_found = 404;
constexpr int not_allowed = 405;
constexpr int too_many = 429;
constexpr int server_error = 500;
constexpr int unavailable = 503;
}  // namespace status

constexpr int redirects_max = 5;
constexpr int busy_max = 3;
constexpr int refusals_max = 8;  // credentials end it earlier
constexpr std::size_t complaint_units_max = 300;

bool is_redirect(int code) {
  return code == status::moved || code == status::found || code == status::see_other ||
         code == status::temporary_redirect || code == status::permanent_redirect;
}

// Seconds or a date (RFC 9110, 10.2.3); a date that has passed is now.
std::optional<Milliseconds> retry_after(const http::Head& head) {
  const std::string_view text = head.find("retry-after");
  const EpochMs now = io::epoch_now();
  if (const std::optional<EpochMs> date = http::parse_http_date(text, now)) {
    return Milliseconds(std::max<std::int64_t>(date->value - now.value, 0));
  }
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t seconds_max = 86'400;
  if (read.ec != std::errc() || seconds < 0 || seconds > seconds_max) {
    return std::nullopt;
  }
  return Milliseconds(std::chrono::seconds(seconds));
}

Error busy(const http::Url& url, int code, std::optional<Milliseconds> wait) {
  std::string text = url.origin() + ": the server is busy (status " + std::to_string(code) + "); ";
  text += wait ? "it asks to try again in " +
                     std::to_string(std::chrono::ceil<std::chrono::seconds>(*wait).count()) + " s"
               : "try again later";
  return {ErrorCode::unavailable, std::move(text)};
}

secrets::Secrets secrets_of(const HttpTransportOptions& options) {
  secrets::Secrets secrets = options.secrets;
  for (const http::Header& header : options.headers) {
    secrets.add_header(header.value);
  }
  secrets.add_url(options.url);
  return secrets;
}

// In the place of those of the same name.
void set_header(http::Headers& headers, const http::Header& header) {
  std::erase_if(headers, [&header](const http::Header& old) {
    return text::lower(old.name) == text::lower(header.name);
  });
  headers.push_back(header);
}

// The text of a JSON-RPC error, an OAuth error or the like; empty when there is none.
std::string message_in(std::string_view body) {
  const auto document = json::Document::parse(std::string(body));
  if (!document) {
    return {};
  }
  const json::Value root = document->root();
  for (const json::Value found : {root.at({"error", "message"}),
                                  root.find("error_description"),
                                  root.find("message"),
                                  root.find("detail"),
                                  root.find("error")}) {
    if (found.is_string()) {
      return found.string_or("");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::make(const io::Executor& executor,
                                                         HttpTransportOptions options) {
  Result<http::Url> url = http::parse_url(options.url);
  if (!url) {
    return fail(std::move(url).error());
  }
  return std::make_unique<HttpEndpoint>(executor, std::move(options), *std::move(url));
}

HttpEndpoint::HttpEndpoint(const io::Executor& executor,
                           HttpTransportOptions options,
                           http::Url url)
    : options_(std::move(options)),
      url_(std::move(url)),
      client_(executor, options_.client),
      secrets_(secrets_of(options_)) {}

std::string HttpEndpoint::without_secrets(std::string text) const {
  secrets::Secrets secrets = secrets_;
  for (const std::string& value : recent_secrets_) {
    secrets.add_header(value);
  }
  return secrets.hidden_in(std::move(text));
}

// They change; only the newest can still be repeated to us.
void HttpEndpoint::note_secret(const std::string& value) {
  constexpr std::size_t recent_max = 256;
  if (value.empty() || std::ranges::find(recent_secrets_, value) != recent_secrets_.end()) {
    return;
  }
  recent_secrets_.push_back(value);
  if (recent_secrets_.size() > recent_max) {
    recent_secrets_.pop_front();
  }
}

http::Request HttpEndpoint::request_of(const HttpAsk& ask,
                                       const http::Url& to,
                                       const std::string& token) const {
  http::Request request;
  request.method = ask.method;
  request.url = to.text();
  request.headers = options_.headers;
  request.headers.insert(request.headers.end(), ask.headers.begin(), ask.headers.end());
  if (!token.empty()) {
    request.headers.push_back({.name = "Authorization", .value = "Bearer " + token});
  } else if (!url_.user_info.empty()) {
    request.url.insert(request.url.find("://") + 3, url_.user_info + "@");
  }
  request.body = ask.body;
  request.may_repeat = ask.may_repeat;
  return request;
}

// `url` is that of the request without user information.
io::Task<Result<void>> HttpEndpoint::add_headers(http::Request* request, std::string url) {
  const Result<http::Headers> more = co_await options_.request_headers(
      {.method = request->method, .url = std::move(url), .body = request->body});
  if (!more) {
    co_return fail(more.error());
  }
  for (const http::Header& header : *more) {
    note_secret(header.value);
    set_header(request->headers, header);
  }
  co_return Result<void>();
}

io::Task<HttpEndpoint::Answer> HttpEndpoint::send(HttpAsk ask, std::string token) {
  http::Url to = url_;
  if (!ask.url.empty()) {
    Result<http::Url> other = http::join_url(url_, ask.url);
    if (!other) {
      co_return fail(std::move(other).error());
    }
    to = *std::move(other);
  }
  for (int redirects = 0;; ++redirects) {
    http::Request request = request_of(ask, to, token);
    if (options_.request_headers) {
      const Result<void> added = co_await add_headers(&request, to.text());
      if (!added) {
        co_return fail(added.error());
      }
    }
    Answer answer = co_await client_.send(std::move(request));
    if (!answer || !is_redirect((*answer)->head().status)) {
      co_return answer;
    }
    const Result<http::Url> next = http::join_url(to, (*answer)->head().find("location"));
    if (!next || redirects >= redirects_max) {
      co_return fail(ErrorCode::unavailable,
                     url_.origin() + ": it redirects " +
                         (next ? "in a circle" : "to no address that could be followed"));
    }
    if (next->origin() != url_.origin()) {
      co_return fail(ErrorCode::unavailable,
                     url_.origin() + ": it redirects to " + next->origin() +
                         ", which must not get its credentials; if that is right, configure the "
                         "new url");
    }
    to = *next;
  }
}

io::Task<Result<std::string>> HttpEndpoint::token() {
  if (!options_.credentials) {
    co_return std::string();
  }
  co_return co_await options_.credentials->token();
}

// After a server that is busy. Its error is the answer.
io::Task<Result<void>> HttpEndpoint::wait_while_busy(int status,
                                                     std::optional<Milliseconds> wait,
                                                     int times) {
  if (!wait || *wait > options_.times.retry_after_max || times > busy_max) {
    co_return fail(busy(url_, status, wait));
  }
  co_return co_await io::sleep_for(*wait);
}

// Whether the request is to be sent again with another token.
io::Task<Result<bool>> HttpEndpoint::take_refusal(http::Head head, std::string token, int attempt) {
  if (!options_.credentials || attempt >= refusals_max) {
    co_return false;
  }
  Refusal refusal{
      .status = head.status, .challenges = {}, .token = std::move(token), .attempt = attempt};
  for (const std::string_view challenge : head.find_all("www-authenticate")) {
    refusal.challenges.emplace_back(challenge);
  }
  co_return co_await options_.credentials->refused(std::move(refusal));
}

io::Task<HttpEndpoint::Answer> HttpEndpoint::ask(HttpAsk ask) {
  int times_busy = 0;
  int refusals = 0;
  for (;;) {
    const Result<std::string> current = co_await token();
    if (!current) {
      co_return fail(current.error());
    }
    note_secret(*current);
    Answer answer = co_await send(ask, *current);
    if (!answer) {
      co_return answer;
    }
    const http::Head head = (*answer)->head();
    if (head.status == status::too_many || head.status == status::unavailable) {
      answer->reset();
      const Result<void> waited =
          co_await wait_while_busy(head.status, retry_after(head), ++times_busy);
      if (!waited) {
        co_return fail(waited.error());
      }
    } else if (head.status == status::unauthorized || head.status == status::forbidden) {
      const Result<bool> again = co_await take_refusal(head, *current, refusals++);
      if (!again) {
        co_return fail(again.error());
      }
      if (!*again) {
        co_return answer;
      }
    } else {
      co_return answer;
    }
  }
}

Error HttpEndpoint::complaint(int status,
                              const std::string& content_type,
                              std::string_view body) const {
  const Error error = http_complaint(status, content_type, body);
  return {error.code(), without_secrets(url_.origin() + ": " + error.message())};
}

Error http_complaint(int code, const std::string& content_type, std::string_view body) {
  const std::string number = std::to_string(code);
  const std::string message = text::cut(text::printable(message_in(body)), complaint_units_max);
  const std::string says = message.empty() ? "" : ": " + message;
  if (code == status::unauthorized || code == status::forbidden) {
    return {
        ErrorCode::unauthorized,
        std::string(code == status::unauthorized ? "it wants credentials (status "
                                                 : "it does not accept our credentials (status ") +
            number + ")" + says +
            R"(; give it "bearerToken" or "headers" in its configuration, or log in)"};
  }
  const bool is_page = content_type == "text/html" || content_type == "application/xhtml+xml";
  if (is_page && code < status::server_error) {
    return {ErrorCode::unavailable,
            "it answers with a web page (status " + number +
                "), so this url is no MCP endpoint; it often ends in /mcp or /sse"};
  }
  if (code == status::not_found) {
    return {ErrorCode::unavailable,
            "there is no MCP endpoint at this url (status 404)" + says +
                "; it often ends in /mcp or /sse"};
  }
  if (code == status::not_allowed) {
    return {ErrorCode::unavailable,
            "it takes no MCP messages at this url (status 405)" + says +
                "; an older server may need \"httpTransport\": \"sse\""};
  }
  if (code == status::ok) {
    return {ErrorCode::protocol,
            "its answer is neither JSON nor an event stream but " +
                (content_type.empty() ? "of no type" : text::printable(content_type)) +
                "; is this url an MCP endpoint?"};
  }
  return {code >= status::server_error ? ErrorCode::unavailable : ErrorCode::protocol,
          "it answers with status " + number + says};
}

}  // namespace pi_mcp::transport
