#include "transport/http/endpoint.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"

namespace pi_mcp::transport {
namespace {

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

}  // namespace

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

io::Task<Result<std::string>> HttpEndpoint::token() {
  if (!options_.credentials) {
    co_return std::string();
  }
  Result<std::string> token = co_await options_.credentials->token();
  if (token) {
    note_secret(*token);
  }
  co_return token;
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

io::Task<HttpEndpoint::Answer> HttpEndpoint::send(const HttpAsk* ask,
                                                  http::Url to,
                                                  std::string token) {
  http::Request request;
  request.method = ask->method;
  request.url = to.text();
  request.headers = options_.headers;
  request.headers.insert(request.headers.end(), ask->headers.begin(), ask->headers.end());
  request.body = ask->body.view();
  request.may_repeat = ask->may_repeat;
  if (!token.empty()) {
    request.headers.push_back({.name = "Authorization", .value = "Bearer " + token});
  } else if (!url_.user_info.empty()) {
    request.url.insert(request.url.find("://") + 3, url_.user_info + "@");
  }
  if (options_.request_headers) {
    const Result<void> added = co_await add_headers(&request, to.text());
    if (!added) {
      co_return fail(added.error());
    }
  }
  co_return co_await client_.send(std::move(request));
}

// Whether to ask once more, and what has to be done before.
io::Task<Result<bool>> HttpEndpoint::prepare_next(HttpAttempts::Next next,
                                                  Answer* answer,
                                                  std::optional<std::string>* token) {
  if (auto* const refusal = std::get_if<Refusal>(&next)) {
    if (!options_.credentials) {
      co_return false;
    }
    refusal->token = *std::exchange(*token, std::nullopt);
    co_return co_await options_.credentials->refused(std::move(*refusal));
  }
  if (const auto* const pause = std::get_if<Milliseconds>(&next)) {
    (*answer)->reset();
    token->reset();
    const Result<void> waited = co_await io::sleep_for(*pause);
    if (!waited) {
      co_return fail(waited.error());
    }
  }
  co_return !std::holds_alternative<HttpAttempts::Final>(next);
}

io::Task<HttpEndpoint::Answer> HttpEndpoint::ask(HttpAsk ask) {
  const Result<http::Url> to = ask.url.empty() ? url_ : http::join_url(url_, ask.url);
  if (!to) {
    co_return fail(to.error());
  }
  HttpAttempts attempts(*to, options_.times.retry_after_max);
  std::optional<std::string> current;
  for (;;) {
    if (!current) {
      Result<std::string> token = co_await this->token();
      if (!token) {
        co_return fail(std::move(token).error());
      }
      current = *std::move(token);
    }
    Answer answer = co_await send(&ask, attempts.to(), *current);
    if (!answer) {
      co_return answer;
    }
    Result<HttpAttempts::Next> next = attempts.take((*answer)->head(), io::epoch_now());
    if (!next) {
      co_return fail(std::move(next).error());
    }
    const Result<bool> again = co_await prepare_next(*std::move(next), &answer, &current);
    if (!again) {
      co_return fail(again.error());
    }
    if (!*again) {
      co_return answer;
    }
  }
}

}  // namespace pi_mcp::transport
