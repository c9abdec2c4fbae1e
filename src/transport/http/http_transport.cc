#include "transport/http/http_transport.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "secrets/mask.h"
#include "transport/http/endpoint.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

// Messages under way at once; LiveConnection allows fewer calls.
constexpr std::size_t posts_max = 4096;
// Messages that have come; with more of them whoever brings one waits.
constexpr std::size_t unread_max = 256;
// What a server may still send after the answer before we hang up; so the connection can be kept.
constexpr Milliseconds after_answer_max{1000};
constexpr std::size_t rest_bytes_max = std::size_t{64} << 10U;

HttpSession session_of(const HttpTransportOptions& options, http::Url url) {
  HttpSession session;
  session.url = std::move(url);
  session.kind = options.kind;
  session.times = options.times;
  session.message_bytes_max = options.message_bytes_max;
  session.has_credentials =
      std::ranges::any_of(options.headers, secrets::is_secret_name, &http::Header::name);
  session.is_older = options.kind == HttpKind::sse;
  return session;
}

// Runs the exchanges of an HttpSession, each in a task of its own.
class HttpTransport final : public Transport {
 public:
  HttpTransport(const io::Executor& executor, HttpTransportOptions options, http::Url url)
      : name_(options.name),
        session_(session_of(options, url)),
        endpoint_(executor, std::move(options), std::move(url)),
        tasks_(executor),
        inbox_changed_(executor),
        changed_(executor) {}

  io::Task<Result<rpc::Message>> receive() override;
  Result<void> send(rpc::Outgoing message) override;
  io::Task<Result<void>> drain(std::size_t bytes) override;
  io::Task<void> close() override;
  [[nodiscard]] bool has_session() const override { return !session_.id.empty(); }
  io::Task<bool> wants_session() override;
  [[nodiscard]] LinkEnd end() const override {
    return {.reason = end_reason_, .stderr_tail = "", .is_remote = true};
  }
  [[nodiscard]] LinkCounters counters() const override {
    return {.junk_lines = session_.junk, .oversized_lines = 0};
  }
  void on_call_failure(std::function<void(const rpc::Id&, Error)> handler) override {
    on_call_failure_ = std::move(handler);
  }
  void on_answer_part(std::function<void(const rpc::Id&)> handler) override {
    on_answer_part_ = std::move(handler);
  }
  void on_headers(Headers headers) override { headers_ = std::move(headers); }

 private:
  using Exchange = std::shared_ptr<HttpExchange>;
  using Response = std::unique_ptr<io::HttpResponse>;

  io::Task<Result<void>> deliver(rpc::Message message);
  void run_started();
  io::Task<void> run(Exchange exchange);
  io::Task<Result<HttpEnd>> run_to_end(Exchange exchange);
  io::Task<HttpInput> perform(HttpNext next, Response* response);
  void finish(const HttpExchange& exchange, HttpEnd end);

  std::string name_;
  HttpSession session_;
  HttpEndpoint endpoint_;
  io::TaskGroup tasks_;
  std::deque<rpc::Message> inbox_;
  std::string end_reason_;  // of the link, for people; empty: it goes on
  bool is_closed_ = false;
  std::map<std::string, io::TaskGroup::TaskId> calls_;  // by JSON of the id
  std::function<void(const rpc::Id&, Error)> on_call_failure_;
  std::function<void(const rpc::Id&)> on_answer_part_;
  Headers headers_;
  io::Condition inbox_changed_;  // or the link is over
  io::Condition changed_;        // something in session_, or is_closed_
};

// Failures are shown and logged, and some servers repeat in them what they were sent.
io::Task<Result<rpc::Message>> HttpTransport::receive() {
  auto wake = io::Wake::notified;
  while (inbox_.empty() && end_reason_.empty() && !is_closed_ && wake == io::Wake::notified) {
    wake = co_await inbox_changed_.wait();
  }
  if (is_closed_ || wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, is_closed_ ? "the link was closed" : "cancelled");
  }
  if (inbox_.empty()) {
    co_return fail(ErrorCode::unavailable, end_reason_);
  }
  rpc::Message message = std::move(inbox_.front());
  inbox_.pop_front();
  inbox_changed_.notify_all();
  if (message.kind() != rpc::Message::Kind::failure) {
    co_return message;
  }
  const std::string line(message.root().raw());
  const std::string shown = endpoint_.without_secrets(line);
  co_return shown == line ? std::move(message) : rpc::Message::parse(shown);
}

io::Task<Result<void>> HttpTransport::deliver(rpc::Message message) {
  auto wake = io::Wake::notified;
  while (inbox_.size() >= unread_max && !is_closed_ && wake == io::Wake::notified) {
    wake = co_await inbox_changed_.wait();
  }
  if (is_closed_ || wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  inbox_.push_back(std::move(message));
  inbox_changed_.notify_all();
  co_return Result<void>();
}

Result<void> HttpTransport::send(rpc::Outgoing message) {
  if (is_closed_ || !end_reason_.empty()) {
    return fail(ErrorCode::unavailable, is_closed_ ? "the link is closed" : end_reason_);
  }
  const std::size_t waiting = session_.waiting_bytes;
  if (tasks_.running() >= posts_max ||
      (waiting > 0 && waiting + message.bytes() > queue_bytes_max)) {
    return fail(ErrorCode::unavailable,
                "the server does not answer: " + text::size_text(waiting) + " are waiting");
  }
  SharedText body(message.flat());
  const auto read = rpc::Message::parse(body);
  if (!read) {
    return fail(read.error());
  }
  const bool has_headers = headers_ && read->kind() == rpc::Message::Kind::request;
  const auto cancelled =
      session_.send(*read, std::move(body), has_headers ? headers_(*read) : http::Headers());
  const auto found = cancelled ? calls_.find(cancelled->json()) : calls_.end();
  if (found != calls_.end()) {
    tasks_.cancel(found->second);
  }
  run_started();
  return {};
}

void HttpTransport::run_started() {
  for (const Exchange& exchange : std::exchange(session_.started, {})) {
    if (is_closed_) {
      return;
    }
    const io::TaskGroup::TaskId task =
        tasks_.spawn("exchange", run(exchange), [this, exchange](const std::string& what) {
          finish(*exchange, exchange->abort({ErrorCode::unavailable, io::escaped_text(what)}));
        });
    if (exchange->call().exists()) {
      calls_[exchange->call().json()] = task;
    }
  }
}

io::Task<void> HttpTransport::run(Exchange exchange) {
  Result<HttpEnd> end;
  if (const std::optional<HttpLimit> limit = exchange->limit()) {
    end = co_await io::with_deadline(limit->time, limit->what, run_to_end(exchange));
  } else {
    end = co_await run_to_end(exchange);
  }
  finish(*exchange, end ? *std::move(end) : exchange->abort(end.error()));
}

// cancelled: it has not ended.
io::Task<Result<HttpEnd>> HttpTransport::run_to_end(Exchange exchange) {
  Response response;
  HttpInput input = HttpGoOn();
  for (;;) {
    const auto* const error = std::get_if<Error>(&input);
    if (error != nullptr && error->code() == ErrorCode::cancelled) {
      co_return fail(*error);
    }
    HttpStep step = exchange->take(std::move(input), io::now());
    run_started();
    if (step.is_part && on_answer_part_) {
      on_answer_part_(exchange->call());
    }
    if (!std::holds_alternative<HttpHold>(step.next)) {  // they would wake each other for ever
      changed_.notify_all();
    }
    for (rpc::Message& message : step.messages) {
      const Result<void> pushed = co_await deliver(std::move(message));
      if (!pushed) {
        co_return fail(pushed.error());
      }
    }
    if (auto* const end = std::get_if<HttpEnd>(&step.next)) {
      if (end->reads_rest) {
        (void)co_await io::with_deadline(
            after_answer_max, "the end of an answer", response->read_all(rest_bytes_max));
      }
      co_return std::move(*end);
    }
    input = co_await perform(std::move(step.next), &response);
  }
}

io::Task<HttpInput> HttpTransport::perform(HttpNext next, Response* response) {
  if (std::holds_alternative<HttpRead>(next)) {
    const Result<std::string_view> bytes = co_await (*response)->read();
    co_return bytes ? HttpInput(*bytes) : HttpInput(bytes.error());
  }
  response->reset();
  if (auto* const ask = std::get_if<HttpAsk>(&next)) {
    HttpEndpoint::Answer answer = co_await endpoint_.ask(std::move(*ask));
    if (!answer) {
      co_return std::move(answer).error();
    }
    *response = *std::move(answer);
    co_return (*response)->head();
  }
  if (const auto* const pause = std::get_if<HttpPause>(&next)) {
    const Result<void> slept = co_await io::sleep_for(pause->time);
    co_return slept ? HttpInput(HttpGoOn()) : HttpInput(slept.error());
  }
  // Without a time of its own it is bounded by what the others wait for.
  const io::Wake wake = co_await changed_.wait_until(std::get<HttpHold>(next).until);
  co_return wake == io::Wake::cancelled ? HttpInput(Error(ErrorCode::cancelled, "cancelled"))
                                        : HttpInput(HttpGoOn());
}

void HttpTransport::finish(const HttpExchange& exchange, HttpEnd end) {
  const rpc::Id call = exchange.call();
  calls_.erase(call.json());
  run_started();
  changed_.notify_all();
  if (!end.error || end.error->code() == ErrorCode::cancelled) {
    return;
  }
  const Error error = end.error->saying(endpoint_.without_secrets(end.error->message()));
  if (end.ends_link) {
    end_reason_ = error.message();
    inbox_changed_.notify_all();
  }
  if (call.exists() && on_call_failure_) {
    on_call_failure_(call, error);
  } else {
    log::debug("server " + name_ + ": " + error.message());
  }
}

io::Task<Result<void>> HttpTransport::drain(std::size_t bytes) {
  auto wake = io::Wake::notified;
  while (session_.waiting_bytes > bytes && !is_closed_ && wake == io::Wake::notified) {
    wake = co_await changed_.wait();
  }
  if (wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (is_closed_) {
    co_return fail(ErrorCode::unavailable, "the link is closed");
  }
  co_return Result<void>();
}

// A GET without an Mcp-Session-Id has status 400 where one is wanted (basic/transports of
// 2025-11-25, "Session Management"), 405 where there are none and in 2026-07-28.
io::Task<bool> HttpTransport::wants_session() {
  constexpr Milliseconds answer_max{5000};
  const auto answer = co_await io::with_deadline(
      answer_max, "looking for a session", endpoint_.ask(session_.ask_events("")));
  co_return answer && (*answer)->head().status == 400;
}

io::Task<void> HttpTransport::close() {
  const bool is_first = !std::exchange(is_closed_, true);
  inbox_changed_.notify_all();
  changed_.notify_all();
  tasks_.cancel();
  co_await tasks_.join();
  std::optional<HttpAsk> goodbye = is_first ? session_.goodbye() : std::nullopt;
  if (!goodbye) {
    co_return;
  }
  const auto answer = co_await io::with_deadline(
      session_.times.goodbye_max, "ending the session", endpoint_.ask(*std::move(goodbye)));
  if (!answer) {  // 405 is an answer, too: the server ends its sessions itself
    log::debug("server " + name_ + ": " + answer.error().message());
  }
}

}  // namespace

Result<std::unique_ptr<Transport>> make_http_transport(const io::Executor& executor,
                                                       HttpTransportOptions options) {
  Result<http::Url> url = http::parse_url(options.url);
  if (!url) {
    return fail(std::move(url).error());
  }
  return std::make_unique<HttpTransport>(executor, std::move(options), *std::move(url));
}

}  // namespace pi_mcp::transport
