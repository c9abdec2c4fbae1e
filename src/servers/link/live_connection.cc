#include "servers/link/live_connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/loop/write_batch.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"
#include "mcp/requests.h"
#include "servers/link/link_text.h"
#include "servers/link/request_owner.h"

namespace pi_mcp::servers {

LiveConnection::LiveConnection(const io::Executor& executor,
                               std::unique_ptr<transport::Transport> transport,
                               Options options,
                               ConnectionEvents events)
    : transport_(std::move(transport)),
      options_(std::move(options)),
      events_(std::move(events)),
      opening_({.client = {.client_name = options_.client_name,
                           .client_version = options_.client_version,
                           .capabilities_json = mcp::capabilities_json(options_.features)},
                .protocol = options_.protocol,
                .may_ask_first = options_.has_headers}),
      link_ended_(executor),
      earlier_deadline_(executor),
      forwarded_(executor,
                 {.server = options_.server,
                  .features = options_.features,
                  .host = options_.host,
                  .pages = options_.pages,
                  .answer = [this](rpc::Outgoing answer) { tell(std::move(answer)); },
                  .on_hold =
                      [this](rpc::CallNumber number, bool begins) {
                        hold(number, begins);
                      }}),
      progress_(executor,
                [this](rpc::CallNumber call, json::Value params) {
                  const auto found = waiting_.find(call);
                  if (found != waiting_.end()) {
                    found->second->on_progress(params);
                  }
                }),
      list_changed_(executor),
      tasks_(executor) {
  transport_->on_call_failure(
      [this](const rpc::Id& id, Error error) { on_call_failure(id, std::move(error)); });
  transport_->on_headers([this](const rpc::Message& request) { return headers_of(request); });
  transport_->on_stderr(events_.wrote_stderr);
}

LiveConnection::~LiveConnection() = default;

std::string LiveConnection::server_version() const {
  const mcp::ServerDescription& server = opening_.server();
  return server.version.empty() ? server.name : server.name + " " + server.version;
}

// Calls.

io::Task<Result<rpc::Message>> LiveConnection::call(std::string method,
                                                    SharedText params,
                                                    CallOptions options) {
  note_use();
  return traits().asks_by_result
             ? call_to_the_end(std::move(method), std::move(params), std::move(options))
             : call_once(std::move(method), std::move(params), std::move(options), Counted::yes);
}

std::unique_ptr<OpenCall> LiveConnection::begin_call(std::string_view method,
                                                     const rpc::Outgoing& params,
                                                     CallOptions options,
                                                     Answered answered) {
  if (traits().asks_by_result || options_.has_headers || !is_open()) {
    return nullptr;
  }
  auto call = std::make_unique<HeldCall>(this);
  call->pending.method = method;
  call->pending.on_progress = std::move(options.on_progress);
  call->pending.host = std::move(options.host);
  call->pending.answered = std::move(answered);
  const Result<void> begun = begin(
      call->pending, params, {.quiet_max = options.quiet_max, .total_max = options.total_max});
  return begun ? std::move(call) : nullptr;
}

io::Task<Result<rpc::Message>> LiveConnection::call_once(std::string method,
                                                         SharedText params,
                                                         CallOptions options,
                                                         Counted counted) {
  std::optional<CountedCall> count;
  if (counted == Counted::yes) {
    count.emplace(options_.on_call);
  }
  Pending pending(this);
  pending.method = std::move(method);
  pending.on_progress = std::move(options.on_progress);
  pending.host = std::move(options.host);
  const rpc::CallTimes times{.quiet_max = options.quiet_max, .total_max = options.total_max};
  const Result<void> begun = begin(pending, params, times);
  if (!begun) {
    co_return fail(co_await reason_not_sent(pending.method, begun.error()));
  }
  co_return co_await pending.answer.wait();
}

Result<void> LiveConnection::begin(Pending& pending,
                                   const SharedText& params,
                                   rpc::CallTimes times) {
  return send_request(pending, params, times);
}

Result<void> LiveConnection::begin(Pending& pending,
                                   const rpc::Outgoing& params,
                                   rpc::CallTimes times) {
  return send_request(pending, params, times);
}

template <class Params>
Result<void> LiveConnection::send_request(Pending& pending,
                                          const Params& params,
                                          rpc::CallTimes times) {
  if (phase_ == Phase::ended || given_up_) {
    return fail(ErrorCode::io, "the server is being stopped");
  }
  const Result<rpc::CallNumber> number = calls_.open(times, io::now());
  if (!number) {
    return fail(number.error());
  }
  const auto progress = pending.on_progress ? mcp::Progress::wanted : mcp::Progress::unwanted;
  Result<void> sent = transport_->send(mcp::request(
      *number, pending.method, params, {.progress = progress, .envelope = opening_.envelope()}));
  if (!sent) {
    calls_.abandon(*number);
    return fail(sent.error());
  }
  pending.number = *number;
  waiting_.emplace(*number, &pending);
  if (calls_.next_deadline() < deadline_armed_) {
    earlier_deadline_.notify_all();
  }
  return {};
}

// A pipe that broke says less than how its server ended, which is known a moment later. A link that
// takes nothing any more is over even when nobody says so.
io::Task<Error> LiveConnection::reason_not_sent(std::string method, Error error) {
  if (error.code() != ErrorCode::io || given_up_) {
    co_return error;
  }
  constexpr Milliseconds wait_max{500};  // the transport needs up to half of it
  const TimePoint deadline = io::now() + wait_max;
  auto wake = io::Wake::notified;
  while (phase_ != Phase::ended && wake == io::Wake::notified) {
    wake = co_await link_ended_.wait_until(deadline);
  }
  if (wake == io::Wake::cancelled) {
    co_return Error(ErrorCode::cancelled, "cancelled");
  }
  if (phase_ == Phase::ended) {
    co_return Error(ErrorCode::io, ended_error(method).message());
  }
  on_end();
  co_return error;
}

void LiveConnection::abandon(Pending& pending, std::string_view reason) {
  const rpc::CallNumber number = std::exchange(pending.number, 0);
  if (number == 0 || !calls_.abandon(number)) {
    return;
  }
  waiting_.erase(number);
  progress_.drop(number);
  forwarded_.on_call_end(number);
  // The client must not cancel initialize (basic/utilities/cancellation).
  if (pending.method != mcp::method::initialize) {
    tell(mcp::cancelled(number, reason));
  }
}

// For messages that nobody waits for: a link that has ended does not need them.
void LiveConnection::tell(rpc::Outgoing message) {
  const Result<void> sent = transport_->send(std::move(message));
  if (!sent) {
    log::debug("server " + options_.server + ": " + sent.error().message());
  }
}

// The task that waits for a call which calls_ has just removed.
LiveConnection::Pending* LiveConnection::take_waiting(rpc::CallNumber number) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) {
    return nullptr;
  }
  Pending* pending = found->second;
  progress_.settle(number);
  waiting_.erase(number);
  forwarded_.on_call_end(number);
  pending->number = 0;
  return pending;
}

// What the server sends.

io::Task<void> LiveConnection::read() {
  io::Turns& turns = io::Turns::of(co_await boost::asio::this_coro::executor);
  for (bool is_open = true; is_open;) {
    std::optional<Result<rpc::Message>> message = co_await transport_->receive();
    const io::Turn turn(turns);
    while (message && (is_open = message->has_value())) {
      on_message(**std::move(message));
      message = transport_->receive_now();
    }
  }
  on_end();
}

void LiveConnection::on_message(rpc::Message&& message) {
  switch (message.kind()) {
    case rpc::Message::Kind::result:
    case rpc::Message::Kind::failure: {
      const std::optional<rpc::CallNumber> number = calls_.settle(message.id());
      Pending* pending = number ? take_waiting(*number) : nullptr;
      if (pending != nullptr) {
        pending->settle_now(std::move(message));
      }
      break;
    }
    case rpc::Message::Kind::request:
      on_request(std::move(message));
      break;
    case rpc::Message::Kind::notification:
      on_notification(std::move(message));
      break;
  }
}

void LiveConnection::on_call_failure(const rpc::Id& id, Error error) {
  const std::optional<rpc::CallNumber> number = calls_.settle(id);
  if (Pending* pending = number ? take_waiting(*number) : nullptr) {
    pending->settle(fail(std::move(error)));
  }
}

void LiveConnection::on_request(rpc::Message message) {
  if (traits().asks_by_result) {
    return;  // there are none, and nothing would take an answer (basic/index, "Requests")
  }
  if (message.method() == mcp::method::ping) {
    tell(rpc::result(message.id(), rpc::Outgoing("{}")));
    return;
  }
  std::vector<CallOfHost> calls;
  calls.reserve(waiting_.size());
  for (const auto& [number, pending] : waiting_) {
    calls.push_back({.number = number, .host = pending->host.get()});
  }
  RequestOwner owner = owner_of(message.during(), calls);
  std::shared_ptr<HostLink> host =
      owner.host == nullptr ? nullptr : waiting_.at(owner.calls.front())->host;
  forwarded_.begin(std::move(message), std::move(host), std::move(owner));
}

void LiveConnection::hold(rpc::CallNumber number, bool begins) {
  if (begins) {
    calls_.hold(number);
    return;
  }
  calls_.release(number, io::now());
  if (calls_.next_deadline() < deadline_armed_) {
    earlier_deadline_.notify_all();
  }
}

void LiveConnection::tell_roots_changed() {
  if (options_.features.roots_list_changed && is_open() && traits().takes_notices) {
    tell(rpc::notification(mcp::method::roots_list_changed, {}));
  }
}

void LiveConnection::on_notification(rpc::Message&& message) {
  if (message.method() == mcp::method::progress) {
    const std::int64_t number = message.params().find("progressToken").as_int().value_or(0);
    const auto found = waiting_.find(number);
    if (found != waiting_.end() && calls_.progress(number, io::now()) &&
        found->second->on_progress) {
      progress_.take(number, std::move(message));
    }
  } else if (message.method() == mcp::method::log_message) {
    if (events_.log_message) {
      events_.log_message(message.params());
    }
  } else if (message.method() == mcp::method::cancelled) {
    forwarded_.on_cancelled(mcp::cancelled_request(message.params()));
  } else if (message.method() == mcp::method::elicitation_complete) {
    if (events_.elicitation_complete && completions_.take(io::now())) {
      events_.elicitation_complete(message.params());
    }
  } else if (const auto list = mcp::changed_list(message.method())) {
    changed_.set(static_cast<std::size_t>(*list));
    list_changed_.notify_all();
  }
}

// The connection is of no use without the task that an exception has ended: it is over, and all
// that wait hear why.
io::OnEscape LiveConnection::ends_link() {
  return [this](const std::string& what) {
    fault_ = io::escaped_text(what);
    const Error error(ErrorCode::unavailable, fault_);
    settle(std::exchange(reading_for_, nullptr), fail(error));
    settle(std::exchange(refresh_, nullptr), fail(error));
    on_end();
  };
}

transport::LinkEnd LiveConnection::end() const {
  transport::LinkEnd end = transport_->end();
  if (!fault_.empty()) {
    end.reason = fault_;
  }
  return end;
}

Error LiveConnection::ended_error(const std::string& method) const {
  const std::string when = (was_open_ ? "before it answered " : "during ") + method;
  return {ErrorCode::unavailable, ended_text(end(), when)};
}

void LiveConnection::on_end() {
  if (phase_ == Phase::ended) {
    return;
  }
  phase_ = Phase::ended;
  link_ended_.notify_all();
  for (const rpc::CallNumber number : calls_.close()) {
    if (Pending* pending = take_waiting(number)) {
      pending->settle(fail(ended_error(pending->method)));
    }
  }
  if (was_open_ && events_.ended) {
    events_.ended(end());
  }
}

// Deadlines.

io::Task<void> LiveConnection::watch_deadlines() {
  for (;;) {
    deadline_armed_ = calls_.next_deadline().value_or(TimePoint::max());
    const io::Wake wake = co_await earlier_deadline_.wait_until(deadline_armed_);
    if (wake == io::Wake::cancelled) {
      co_return;
    }
    expire(io::now());
  }
}

void LiveConnection::expire(TimePoint now) {
  for (const rpc::CallTable::Expired& expired : calls_.expire(now)) {
    Pending* pending = take_waiting(expired.number);
    if (pending == nullptr) {
      continue;
    }
    const bool initialize = pending->method == mcp::method::initialize;
    const OverdueText text =
        overdue_text({.method = pending->method,
                      .limit = expired.limit,
                      .total = expired.total,
                      .preparation = initialize ? transport_->preparation() : std::string()});
    if (!initialize) {
      tell(mcp::cancelled(expired.number, text.reason));
    }
    pending->settle(fail(ErrorCode::timed_out, text.reason + "; " + text.advice));
  }
}

// Start and end.

io::Task<Result<void>> LiveConnection::open(TimePoint deadline) {
  tasks_.spawn("read", read(), ends_link());
  tasks_.spawn("watch deadlines", watch_deadlines(), ends_link());
  const io::TaskGroup::TaskId watching =
      tasks_.spawn("watch the start", watch_start(deadline - io::now()), io::log_only);
  Result<void> opened = co_await handshake(deadline);
  if (opened) {
    opened = co_await read_lists(ListSet().set(), list_times());
  }
  tasks_.cancel(watching);
  if (opened && phase_ == Phase::ended) {
    opened = fail(ErrorCode::unavailable, ended_text(end(), "during its start"));
  }
  if (!opened) {
    const Error& error = opened.error();
    co_return error.code() == ErrorCode::cancelled
        ? opened
        : fail(error.code(), link_failure_text(error.message(), end(), *transport_));
  }
  phase_ = Phase::open;
  was_open_ = true;
  rebuild_listing();
  tasks_.spawn("follow list changes", follow_list_changes(), ends_link());
  if (traits().has_subscription) {
    tasks_.spawn("listen", listen(), ends_link());
  }
  co_return opened;
}

io::Task<Result<void>> LiveConnection::handshake(TimePoint deadline) {
  auto next = mcp::Opening::Next::ask;
  while (next == mcp::Opening::Next::ask) {
    const mcp::Opening::Ask ask = opening_.ask();
    const Result<rpc::Message> answer =
        co_await call_once(std::string(ask.method), ask.params, opening_limits(ask, deadline));
    const Result<mcp::Opening::Next> taken =
        answer ? opening_.on_answer(*answer) : opening_.on_error(answer.error());
    if (!taken) {
      co_return fail(answer ? Error(taken.error()).while_doing(ask.method) : taken.error());
    }
    next = *taken;
  }
  if (next == mcp::Opening::Next::announce) {
    tell(rpc::notification(mcp::method::initialized, {}));
  }
  co_return Result<void>();
}

CallOptions LiveConnection::opening_limits(const mcp::Opening::Ask& ask, TimePoint deadline) {
  auto left = std::chrono::ceil<Milliseconds>(deadline - io::now());
  if (ask.method == mcp::method::server_discover && options_.protocol == mcp::Protocol::automatic) {
    left = std::min(options_.discover_max, left / 2);
  }
  const bool prepares = !transport_->preparation().empty();
  return {.quiet_max = left,
          .total_max = prepares ? std::max(left, options_.install_max) : left,
          .on_progress = {}};
}

// Tells what a start does that takes long, and gives an installation that goes on more time.
io::Task<void> LiveConnection::watch_start(Duration limit) {
  // A short limit needs closer looks: work must be seen before it passes.
  const Duration pause = std::min<Duration>(options_.start_look_pause, limit / 4);
  bool prepares = !transport_->preparation().empty();
  std::uint64_t work = prepares ? transport_->work() : 0;
  for (;;) {
    const Result<void> slept = co_await io::sleep_for(pause);
    if (!slept || phase_ != Phase::opening) {
      co_return;
    }
    const std::string what = prepares ? transport_->preparation() : std::string();
    const std::uint64_t work_now = prepares ? transport_->work() : work;
    if (work_now != work || prepares != !what.empty()) {
      extend_initialize();
    }
    work = work_now;
    prepares = !what.empty();
    if (events_.starting) {
      events_.starting(what);
    }
  }
}

void LiveConnection::extend_initialize() {
  for (const auto& [number, pending] : waiting_) {
    if (pending->method == mcp::method::initialize) {
      calls_.progress(number, io::now());
    }
  }
}

rpc::CallTimes LiveConnection::list_times() const {
  return {.quiet_max = options_.list_quiet_max,
          .total_max = std::max(options_.list_quiet_max, options_.list_total_max)};
}

io::Task<void> LiveConnection::close() {
  co_await transport_->close();
  tasks_.cancel();
  co_await tasks_.join();
  co_await forwarded_.close();
  on_end();
  co_await progress_.stop();
}

}  // namespace pi_mcp::servers
