#include "transport/http/legacy_sse.h"

#include <utility>

#include "io/loop/with_deadline.h"

namespace pi_mcp::transport {
namespace {

constexpr std::size_t refusal_bytes_max = std::size_t{64} << 10U;

bool is_success(int status) {
  constexpr int ok = 200;
  constexpr int redirect = 300;
  return status >= ok && status < redirect;
}

}  // namespace

io::Task<Result<void>> LegacySse::post(HttpPost post) {
  if (!is_started_) {
    is_started_ = true;
    tasks_->spawn(
        "events of " + endpoint_->options().name, read_stream(), [this](const std::string& what) {
          end(Error(ErrorCode::unavailable, io::escaped_text(what)));
        });
  }
  auto wake = io::Wake::notified;
  while (post_url_.empty() && !error_ && wake == io::Wake::notified) {
    wake = co_await changed_.wait();  // bounded by the call that waits
  }
  if (wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (error_) {
    co_return fail(*error_);
  }
  HttpAsk ask;
  ask.method = "POST";
  ask.url = post_url_;
  ask.headers = {{.name = "Content-Type", .value = "application/json"},
                 {.name = "Accept", .value = "application/json, text/event-stream"}};
  ask.body = std::move(post.body);
  ask.may_repeat = post.method != http_method::tools_call;
  Result<std::unique_ptr<io::HttpResponse>> response = co_await endpoint_->ask(std::move(ask));
  if (!response) {
    co_return fail(std::move(response).error());
  }
  const int status = (*response)->head().status;
  const std::string type = (*response)->head().content_type();
  const Result<std::string> body = co_await (*response)->read_all(refusal_bytes_max);
  if (!is_success(status)) {
    co_return fail(endpoint_->complaint(status, type, body ? *body : ""));
  }
  co_return Result<void>();
}

io::Task<void> LegacySse::read_stream() {
  end(co_await follow());
}

void LegacySse::end(Error error) {
  const std::string why = error.message();
  error_ = std::move(error);
  if (!post_url_.empty()) {
    inbox_->end(why);
  }
  changed_.notify_all();
}

// Until the stream is over; why it is.
io::Task<Error> LegacySse::follow() {
  HttpAsk ask;
  ask.method = "GET";
  ask.headers = {{.name = "Accept", .value = "text/event-stream"}};
  ask.may_repeat = true;
  Result<std::unique_ptr<io::HttpResponse>> response = co_await endpoint_->ask(std::move(ask));
  if (!response) {
    co_return std::move(response).error();
  }
  if (!is_event_stream((*response)->head())) {
    const int status = (*response)->head().status;
    const std::string type = (*response)->head().content_type();
    const Result<std::string> body = co_await (*response)->read_all(refusal_bytes_max);
    co_return endpoint_->complaint(status, type, body ? *body : "");
  }
  HttpEvents events(*std::move(response), endpoint_->options().message_bytes_max, 0);
  for (;;) {
    Result<std::optional<http::SseEvent>> event = co_await events.next();
    if (!event) {
      co_return std::move(event).error();
    }
    if (!*event) {
      co_return Error(ErrorCode::unavailable,
                      endpoint_->url().origin() + ": the server ended its event stream");
    }
    if ((*event)->type == "endpoint" && post_url_.empty()) {
      const Result<http::Url> url = http::join_url(endpoint_->url(), (*event)->data);
      if (!url || url->origin() != endpoint_->url().origin()) {
        co_return Error(ErrorCode::protocol,
                        endpoint_->url().origin() +
                            ": it wants messages at another origin, which must not get its "
                            "credentials");
      }
      post_url_ = url->text();
      changed_.notify_all();
      continue;
    }
    co_await take_event(**std::move(event));
  }
}

io::Task<void> LegacySse::take_event(http::SseEvent event) {
  if (event.data.empty() || (!event.type.empty() && event.type != "message")) {
    co_return;
  }
  auto message = rpc::Message::parse(std::move(event.data));
  if (!message) {
    inbox_->count_junk();
    co_return;
  }
  (void)co_await inbox_->push(*std::move(message));  // refused only at the end
}

}  // namespace pi_mcp::transport
