// The part of StreamableHttp that only sessions have: what the server says by itself, beginning a
// session again, ending it.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/loop/with_deadline.h"
#include "transport/http/streamable_http.h"

namespace pi_mcp::transport {
namespace {

HttpPost make_post(const rpc::Outgoing& message, rpc::Message::Kind kind, std::string_view method) {
  HttpPost post;
  post.body = message.flat();
  post.kind = kind;
  post.method = std::string(method);
  return post;
}

}  // namespace

// What the server says by itself.

io::Task<void> StreamableHttp::listen() {
  const HttpTimes& times = endpoint_->options().times;
  constexpr std::chrono::seconds long_enough{30};
  std::string last_event_id;
  std::optional<Milliseconds> retry;
  int failures = 0;
  for (;;) {
    const TimePoint began = io::now();
    const bool again = co_await listen_once(&last_event_id, &retry);
    if (!again) {
      co_return;
    }
    failures = io::now() - began > long_enough ? 0 : failures + 1;
    const Milliseconds pause =
        std::max(retry.value_or(Milliseconds(0)),
                 growing_pause(times.resume_first, times.resume_max, std::max(failures - 1, 0)));
    const Result<void> slept = co_await io::sleep_for(std::min(pause, times.resume_max));
    if (!slept) {
      co_return;
    }
  }
}

// One life of the stream for what the server says by itself. False: it offers none, or we stop.
io::Task<bool> StreamableHttp::listen_once(std::string* last_event_id,
                                           std::optional<Milliseconds>* retry) {
  HttpAsk ask;
  ask.method = "GET";
  ask.headers = headers("text/event-stream");
  if (!last_event_id->empty()) {
    ask.headers.push_back({.name = "Last-Event-ID", .value = *last_event_id});
  }
  ask.may_repeat = true;
  const std::string session = session_id_;
  Result<std::unique_ptr<io::HttpResponse>> response = co_await endpoint_->ask(std::move(ask));
  if (!response) {
    co_return response.error().code() == ErrorCode::unavailable ||
        response.error().code() == ErrorCode::timed_out;
  }
  if (!is_event_stream((*response)->head())) {
    // A session that was renewed meanwhile has a stream of its own.
    last_event_id->clear();
    co_return session != session_id_;
  }
  HttpEvents events(*std::move(response), endpoint_->options().message_bytes_max, 0);
  const Result<Answered> read = co_await follow_until_end(nullptr, &events);
  if (!events.last_event_id().empty()) {
    *last_event_id = events.last_event_id();
  }
  *retry = events.retry();
  co_return read || read.error().code() != ErrorCode::cancelled;
}

// Sessions.

io::Task<Result<void>> StreamableHttp::renew_session(std::string lost_session) {
  auto wake = io::Wake::notified;
  while (is_renewing_ && wake == io::Wake::notified) {
    wake = co_await renewed_.wait();  // bounded by the call of whoever renews
  }
  if (wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (session_id_ != lost_session) {
    co_return Result<void>();  // somebody else has renewed it
  }
  is_renewing_ = true;
  constexpr Milliseconds renewal_max{60'000};
  Result<void> renewed =
      co_await io::with_deadline(renewal_max, "a new session", initialize_again());
  is_renewing_ = false;
  renewed_.notify_all();
  co_return renewed;
}

// The handshake once more. The id is a text, which those of calls never are, so its answer is
// told apart. Lists may differ in a new session: whoever reads the messages is told to look.
io::Task<Result<void>> StreamableHttp::initialize_again() {
  if (initialize_params_.empty()) {
    co_return fail(ErrorCode::unavailable, "there was no handshake before");
  }
  log::debug("server " + endpoint_->options().name + ": the session was lost, a new one is begun");
  const auto id = rpc::Id::from_json("\"session-" + std::to_string(++renewals_) + "\"");
  HttpPost first = make_post(rpc::request(id, http_method::initialize, initialize_params_),
                             rpc::Message::Kind::request,
                             http_method::initialize);
  first.id = id;
  std::string lost_session;
  const Result<Outcome> opened = co_await post_once(&first, &lost_session);
  if (!opened) {
    co_return fail(opened.error());
  }
  if (opened->older || protocol_version_.empty()) {
    co_return fail(opened->complaint.value_or(
        Error(ErrorCode::unavailable, "the server refused the handshake")));
  }
  const HttpPost second = make_post(rpc::notification(http_method::initialized, {}),
                                    rpc::Message::Kind::notification,
                                    http_method::initialized);
  const Result<Outcome> ready = co_await post_once(&second, &lost_session);
  if (!ready) {
    co_return fail(ready.error());
  }
  for (const char* list : {"tools", "resources", "prompts"}) {
    auto changed = rpc::Message::parse(
        rpc::notification("notifications/" + std::string(list) + "/list_changed", {}).flat());
    if (changed) {
      const Result<void> pushed = co_await inbox_->push(*std::move(changed));
      if (!pushed) {
        co_return pushed;
      }
    }
  }
  co_return Result<void>();
}

io::Task<void> StreamableHttp::say_goodbye() {
  if (session_id_.empty()) {
    co_return;
  }
  HttpAsk ask;
  ask.method = "DELETE";
  ask.headers = headers("application/json, text/event-stream");
  ask.may_repeat = true;
  session_id_.clear();
  const auto answer = co_await io::with_deadline(
      endpoint_->options().times.goodbye_max, "ending the session", endpoint_->ask(std::move(ask)));
  if (!answer) {  // 405 is an answer, too: the server ends its sessions itself
    log::debug("server " + endpoint_->options().name + ": " + answer.error().message());
  }
}

}  // namespace pi_mcp::transport
