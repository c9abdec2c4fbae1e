#include "transport/http/http_transport.h"

#include <functional>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "transport/http/endpoint.h"
#include "transport/http/inbox.h"
#include "transport/http/legacy_sse.h"
#include "transport/http/post.h"
#include "transport/http/streamable_http.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

// Messages under way at once; LiveConnection allows fewer calls.
constexpr std::size_t posts_max = 4096;

class HttpTransport final : public Transport {
 public:
  HttpTransport(const io::Executor& executor, std::unique_ptr<HttpEndpoint> endpoint)
      : endpoint_(std::move(endpoint)),
        inbox_(executor),
        tasks_(executor),
        streamable_(executor, endpoint_.get(), &inbox_, &tasks_),
        sse_(executor, endpoint_.get(), &inbox_, &tasks_),
        is_sse_(endpoint_->options().kind == HttpKind::sse),
        changed_(executor) {}

  io::Task<Result<rpc::Message>> receive() override;
  Result<void> send(rpc::Outgoing message) override;
  io::Task<Result<void>> drain(std::size_t bytes) override;
  io::Task<void> close() override;
  [[nodiscard]] LinkEnd end() const override {
    return {.reason = inbox_.end_reason(), .stderr_tail = "", .is_remote = true};
  }
  [[nodiscard]] LinkCounters counters() const override {
    return {.junk_lines = inbox_.junk(), .oversized_lines = 0};
  }
  void on_call_failure(std::function<void(const rpc::Id&, Error)> handler) override {
    on_call_failure_ = std::move(handler);
  }
  void on_headers(Headers headers) override { headers_ = std::move(headers); }

 private:
  io::Task<void> run(HttpPost post);
  void on_escape(std::size_t bytes, const rpc::Id& call, const std::string& what);
  io::Task<Result<void>> deliver(HttpPost post);
  io::Task<Result<void>> deliver_older(HttpPost post, Error complaint);
  void stop_cancelled(const rpc::Message& message);

  std::unique_ptr<HttpEndpoint> endpoint_;
  HttpInbox inbox_;
  io::TaskGroup tasks_;
  StreamableHttp streamable_;
  LegacySse sse_;
  bool is_sse_;
  bool is_closed_ = false;
  bool is_stateless_ = false;  // the newest request was
  bool is_settling_ = false;   // notifications/initialized is on its way, others wait for it
  std::size_t waiting_bytes_ = 0;
  std::map<std::string, io::TaskGroup::TaskId> calls_;  // by JSON of the id
  std::function<void(const rpc::Id&, Error)> on_call_failure_;
  Headers headers_;
  io::Condition changed_;  // is_settling_, waiting_bytes_ or is_closed_
};

// Errors are shown and logged, and some servers repeat in them what they were sent.
io::Task<Result<rpc::Message>> HttpTransport::receive() {
  Result<rpc::Message> message = co_await inbox_.receive();
  if (!message || message->kind() != rpc::Message::Kind::failure) {
    co_return message;
  }
  const std::string line(message->root().raw());
  const std::string shown = endpoint_->without_secrets(line);
  co_return shown == line ? std::move(message) : rpc::Message::parse(shown);
}

Result<void> HttpTransport::send(rpc::Outgoing message) {
  if (is_closed_ || !inbox_.end_reason().empty()) {
    return fail(ErrorCode::unavailable, is_closed_ ? "the link is closed" : inbox_.end_reason());
  }
  if (tasks_.running() >= posts_max ||
      (waiting_bytes_ > 0 && waiting_bytes_ + message.bytes() > queue_bytes_max)) {
    return fail(ErrorCode::unavailable,
                "the server does not answer: " + text::size_text(waiting_bytes_) + " are waiting");
  }
  HttpPost post;
  post.body = message.flat();
  const auto read = rpc::Message::parse(SharedText(nullptr, post.body));
  if (!read) {
    return fail(read.error());
  }
  post.kind = read->kind();
  post.id = read->id();
  post.method = read->method();
  if (post.is_call() && headers_) {
    post.headers = headers_(*read);
    is_stateless_ = post.is_stateless();
  }
  if (post.method == http_method::cancelled) {
    stop_cancelled(*read);
    if (is_stateless_) {
      return {};  // the closed stream says it, and no server expects a notification
    }
  }
  is_settling_ = is_settling_ || post.method == http_method::initialized;
  waiting_bytes_ += post.body.size();
  const std::size_t message_bytes = post.body.size();
  const rpc::Id call = post.is_call() ? post.id : rpc::Id();
  const std::string id = post.is_call() ? post.id.json() : "";
  const io::TaskGroup::TaskId task =
      tasks_.spawn("post",
                   run(std::move(post)),
                   [this, bytes = message_bytes, call = rpc::Id(call)](const std::string& what) {
                     on_escape(bytes, call, what);
                   });
  if (!id.empty()) {
    calls_[id] = task;
  }
  return {};
}

// Nobody waits for that answer any more. Its connection is closed; up to 2025-11-25 the server is
// told as well, because a closed connection alone does not mean that (basic/transports, "Sending
// Messages").
void HttpTransport::stop_cancelled(const rpc::Message& message) {
  const auto found = calls_.find(std::string(message.params().find("requestId").raw()));
  if (found != calls_.end()) {
    tasks_.cancel(found->second);
  }
}

io::Task<void> HttpTransport::run(HttpPost post) {
  const std::size_t bytes = post.body.size();
  const bool settles = post.method == http_method::initialized;
  const rpc::Id id = post.is_call() ? post.id : rpc::Id();
  Result<void> done;
  if (id.exists()) {
    done = co_await deliver(std::move(post));
  } else {
    done = co_await io::with_deadline(
        endpoint_->options().times.notice_max, "a message", deliver(std::move(post)));
  }
  waiting_bytes_ -= bytes;
  is_settling_ = is_settling_ && !settles;
  changed_.notify_all();
  if (id.exists()) {
    calls_.erase(id.json());
  }
  if (done || done.error().code() == ErrorCode::cancelled) {
    co_return;
  }
  if (!id.exists()) {
    log::debug("server " + endpoint_->options().name + ": " + done.error().message());
  } else if (on_call_failure_) {
    on_call_failure_(id, done.error());
  } else {
    auto failure = rpc::Message::parse(
        rpc::failure(id, rpc::error_code::internal_error, done.error().message()).flat());
    if (failure) {
      (void)co_await inbox_.push(*std::move(failure));  // refused only at the end
    }
  }
}

// What run() would have done at its end, without waiting.
void HttpTransport::on_escape(std::size_t bytes, const rpc::Id& call, const std::string& what) {
  waiting_bytes_ -= bytes;
  is_settling_ = false;
  changed_.notify_all();
  if (!call.exists()) {
    return;
  }
  calls_.erase(call.json());
  if (on_call_failure_) {
    on_call_failure_(call, Error(ErrorCode::unavailable, io::escaped_text(what)));
  } else {
    inbox_.end(io::escaped_text(what));
  }
}

io::Task<Result<void>> HttpTransport::deliver(HttpPost post) {
  auto wake = io::Wake::notified;
  while (is_settling_ && post.method != http_method::initialized && wake == io::Wake::notified) {
    wake = co_await changed_.wait();  // bounded by notice_max
  }
  if (wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (is_sse_) {
    co_return co_await sse_.post(std::move(post));
  }
  const Result<StreamableHttp::Outcome> outcome = co_await streamable_.post(post);
  if (!outcome) {
    co_return fail(outcome.error());
  }
  if (!outcome->older) {
    co_return Result<void>();
  }
  const Error complaint = outcome->complaint.value_or(Error(ErrorCode::protocol, "refused"));
  if (endpoint_->options().kind != HttpKind::automatic) {
    co_return fail(complaint);
  }
  co_return co_await deliver_older(std::move(post), complaint);
}

// The first request was refused in a way in which servers of 2024-11-05 refuse it.
io::Task<Result<void>> HttpTransport::deliver_older(HttpPost post, Error complaint) {
  is_sse_ = true;
  const Result<void> posted = co_await sse_.post(std::move(post));
  if (!posted && posted.error().code() != ErrorCode::cancelled &&
      posted.error().code() != ErrorCode::unauthorized) {
    is_sse_ = false;
    co_return fail(std::move(complaint));  // it is no such server: what was said first counts
  }
  co_return posted;
}

io::Task<Result<void>> HttpTransport::drain(std::size_t bytes) {
  auto wake = io::Wake::notified;
  while (waiting_bytes_ > bytes && !is_closed_ && wake == io::Wake::notified) {
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

io::Task<void> HttpTransport::close() {
  const bool is_first = !std::exchange(is_closed_, true);
  inbox_.close();
  changed_.notify_all();
  tasks_.cancel();
  co_await tasks_.join();
  if (is_first) {
    co_await streamable_.say_goodbye();
  }
}

}  // namespace

Result<std::unique_ptr<Transport>> make_http_transport(const io::Executor& executor,
                                                       HttpTransportOptions options) {
  Result<std::unique_ptr<HttpEndpoint>> endpoint = HttpEndpoint::make(executor, std::move(options));
  if (!endpoint) {
    return fail(std::move(endpoint).error());
  }
  return std::make_unique<HttpTransport>(executor, *std::move(endpoint));
}

}  // namespace pi_mcp::transport
