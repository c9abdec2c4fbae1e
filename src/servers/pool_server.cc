#include "servers/pool_server.h"

#include <utility>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "servers/link/link_text.h"

namespace pi_mcp::servers {
namespace {

using Acquired = Result<std::shared_ptr<Connection>>;

LifecycleEvent event_of(Use use) {
  switch (use) {
    case Use::implicit:
      return LifecycleEvent::use;
    case Use::on_demand:
      return LifecycleEvent::connect;
    case Use::background:
      break;
  }
  return LifecycleEvent::session_start;
}

bool may_begin_delay(LifecycleEvent event) {
  return event == LifecycleEvent::start_failed || event == LifecycleEvent::start_cancelled ||
         event == LifecycleEvent::link_ended;
}

mcp::Protocol protocol_of(const Launch& launch) {
  if (launch.remote && launch.remote->kind == config::HttpTransport::sse) {
    return mcp::Protocol::handshake;  // that transport is older than the others
  }
  return launch.protocol;
}

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::round<std::chrono::seconds>(duration).count();
}

}  // namespace

// One start under way, shared by everybody who waits for it.
struct PoolServer::Start {
  explicit Start(const io::Executor& executor) : changed(executor) {}

  // nullopt: the waiting task was cancelled.
  io::Task<std::optional<Acquired>> wait() {
    ++waiting;
    auto wake = io::Wake::notified;
    while (!result && wake != io::Wake::cancelled) {
      wake = co_await changed.wait();
    }
    --waiting;
    co_return result;
  }

  io::Condition changed;
  std::optional<Acquired> result;
  std::size_t waiting = 0;
  bool urgent = false;  // a call or a person waits for it
  bool kept = false;    // goes on when nobody waits: the lifecycle wants it
  bool is_remote = false;
  std::uint64_t run = 0;
  TimePoint began = io::now();
  // Its slot while it has one: true, a slot of the background.
  std::optional<bool> slot;
  io::TaskGroup::TaskId task = 0;
};

PoolServer::PoolServer(PoolShared& shared, std::string key)
    : shared_(shared), key_(std::move(key)), lifecycle_(shared.options.limits) {}

LifecycleAction PoolServer::feed(LifecycleEvent event) {
  const TimePoint now = io::now();
  const double chance = may_begin_delay(event) ? io::random_fraction() : 0;
  const LifecycleAction action = lifecycle_.on(event, now, chance);
  if (action == LifecycleAction::start) {
    start(event == LifecycleEvent::link_ended || event == LifecycleEvent::wake);
  } else if (action == LifecycleAction::stop) {
    shut();
  } else if (action == LifecycleAction::check) {
    begin_check();
  }
  if (may_begin_delay(event) && lifecycle_.state() == LifecycleState::waiting) {
    const auto delay = std::chrono::ceil<Milliseconds>(lifecycle_.next_try() - now);
    log::info("servers: " + name_ + ": " + reason_ + "; next try in " + mcp::duration_text(delay));
  }
  if (const std::optional<TimePoint> deadline = lifecycle_.deadline()) {
    shared_.deadline_set(*deadline);
  }
  return action;
}

void PoolServer::stop_by(const std::string& command) {
  if (connection_) {
    connection_->give_up(command);
  }
  feed(LifecycleEvent::stop);
}

void PoolServer::wake_if_due(TimePoint now) {
  const std::optional<TimePoint> deadline = lifecycle_.deadline();
  if (!deadline || *deadline > now || feed(LifecycleEvent::wake) != LifecycleAction::stop) {
    return;
  }
  const Milliseconds idle = lifecycle_.policy().idle_max.value_or(Milliseconds(0));
  log::info("servers: " + name_ + " stopped after " + mcp::duration_text(idle) + " idle");
}

void PoolServer::update_policy() {
  std::optional<LifecyclePolicy> wanted = shared_.leases.policy(key_);
  note_sessions();
  // Without any lease: nothing is kept beyond the calls in flight and the time that was asked for,
  // no secret beyond the start.
  if (!wanted) {
    wanted = LifecyclePolicy{.mode = config::LifecycleMode::lazy, .idle_max = linger_};
    launch_ = Launch();
  } else {
    linger_ = shared_.leases.linger(key_);
  }
  lifecycle_.set_policy(*wanted);
  feed(LifecycleEvent::leases_changed);
  if (start_ && start_->kept && !lifecycle_.is_kept()) {
    start_->kept = false;
    if (start_->waiting == 0) {
      feed(LifecycleEvent::start_cancelled);
    }
  }
}

bool PoolServer::runs() const {
  const LifecycleState state = lifecycle_.state();
  return state == LifecycleState::starting || state == LifecycleState::ready ||
         state == LifecycleState::waiting || !ending_.empty();
}

PoolStatus PoolServer::status() const {
  PoolStatus status{.state = lifecycle_.state(),
                    .reason = reason_,
                    .code = code_,
                    .remedy = remedy_,
                    .failed_at = lifecycle_.failed_at(),
                    .refuses_use = lifecycle_.refuses_use(io::now()),
                    .next_try = {},
                    .connected_at = {},
                    .process_id = 0,
                    .calls_in_flight = lifecycle_.calls_in_flight(),
                    .restarts = lifecycle_.restarts(),
                    .late_answers = late_answers_};
  if (status.state == LifecycleState::waiting) {
    status.next_try = lifecycle_.next_try();
  }
  if (connection_) {
    status.connected_at = lifecycle_.ready_since();
    status.process_id = connection_->process_id();
    status.late_answers += connection_->late_answers();
  }
  return status;
}

std::optional<PoolRun> PoolServer::run() const {
  const PoolStatus now = status();
  if (launch_.server != name_ || name_.empty() ||
      (now.state == LifecycleState::stopped && !now.failed_at)) {
    return std::nullopt;
  }
  return PoolRun{.key = key_,
                 .server = name_,
                 .entry = launch_.entry,
                 .principal = launch_.principal,
                 .cwd = launch_.cwd,
                 .status = now,
                 .tools = connection_ ? connection_->listing().tools.size() : 0,
                 .stderr_tail = stderr_tail(),
                 .secrets = launch_.secrets};
}

std::string PoolServer::stderr_tail() const {
  if (!connection_) {
    return stderr_tail_;
  }
  // A server that was started again has not said what went wrong; the one before may have.
  const std::string now = connection_->end().stderr_tail;
  const bool again = !stderr_tail_.empty() && !reason_before_.empty();
  return again ? stderr_tail_ + (stderr_tail_.ends_with('\n') ? "" : "\n") +
                     "[pi-mcp: " + reason_before_ + "; started again]\n" + now
               : now;
}

// Starting.

io::Task<Acquired> PoolServer::acquire(Launch launch, Use use) {
  struct Counted {
    explicit Counted(std::size_t* in) : count(in) { ++*count; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    Counted(Counted&&) = delete;
    Counted& operator=(Counted&&) = delete;
    ~Counted() { --*count; }
    std::size_t* count;
  } const counted(&acquiring_);
  const std::string server = launch.server;
  name_ = server;
  key_of_any_session_ = launch.key_of_any_session();
  launch_session_ = launch.session;
  launch_roots_ = launch.roots;
  copy_ = launch.copy;
  features_ = launch.features;
  launch_ = std::move(launch);
  const LifecycleAction action = feed(event_of(use));
  if (action == LifecycleAction::give) {
    co_return connection_;
  }
  if (action == LifecycleAction::refuse) {
    co_return fail(refusal().while_doing(server));
  }
  const std::shared_ptr<Start> joined = start_;
  if (use != Use::background && !joined->urgent) {
    joined->urgent = true;
    shared_.slot_freed.notify_all();
  }
  const std::optional<Acquired> result = co_await joined->wait();
  if (!result) {
    if (joined->waiting == 0 && !joined->kept && start_ == joined) {
      feed(LifecycleEvent::start_cancelled);
    }
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (!*result) {
    co_return fail(Error(result->error()).while_doing(server));
  }
  co_return *result;
}

Error PoolServer::refusal() const {
  const std::optional<TimePoint> failed_at = lifecycle_.failed_at();
  if (lifecycle_.state() == LifecycleState::closed || !failed_at) {
    return {ErrorCode::unavailable, "pi-mcp is shutting down"};
  }
  if (code_ == ErrorCode::unauthorized) {  // as it was said first: only a login helps, not time
    return Error(code_, reason_).with(remedy_);
  }
  return Error(ErrorCode::unavailable,
               "not available (last failed " +
                   std::to_string(whole_seconds(io::now() - *failed_at)) + "s ago): " + reason_)
      .with(remedy_);
}

// `kept`: asked for by the lifecycle, not by a caller who may go away.
void PoolServer::start(bool kept) {
  start_ = std::make_shared<Start>(shared_.executor);
  start_->kept = kept;
  start_->run = ++newest_run_;
  start_->is_remote = launch_.remote.has_value();
  begin_sharing();
  lifecycle_.set_ends_unseen(start_->is_remote);
  start_->task =
      shared_.tasks.spawn("start " + name_,
                          run_start(start_, launch_),
                          [this, begun = start_](const std::string& what) {
                            free_slot(*begun);
                            finish(*begun, fail(ErrorCode::unavailable, io::escaped_text(what)));
                          });
}

void PoolServer::cancel_start() {
  if (const std::shared_ptr<Start> begun = std::exchange(start_, nullptr)) {
    ending_.insert(begun->run);
    shared_.tasks.cancel(begun->task);
  }
}

void PoolServer::free_slot(Start& start) {
  if (const std::optional<bool> background = std::exchange(start.slot, std::nullopt)) {
    shared_.slots.end(*background);
    shared_.slot_freed.notify_all();
  }
}

io::Task<void> PoolServer::run_start(std::shared_ptr<Start> start, Launch launch) {
  while (!shared_.slots.is_free(!start->urgent)) {
    if (co_await shared_.slot_freed.wait() == io::Wake::cancelled) {
      finish(*start, fail(ErrorCode::cancelled, "cancelled"));
      co_return;
    }
  }
  start->slot = !start->urgent;
  shared_.slots.begin(*start->slot);
  Opened opened = co_await open(std::move(launch), start->run);
  free_slot(*start);
  finish(*start, std::move(opened));
}

io::Task<PoolServer::Opened> PoolServer::open(Launch launch, std::uint64_t run) {
  const Milliseconds start_max = launch.deadlines.start;
  LiveConnection::Options connection_options{
      .link = link_options(launch), .pages = launch.pages, .on_call = call_counter()};
  Result<std::unique_ptr<transport::Transport>> link =
      co_await shared_.connector(std::move(launch));
  if (!link) {
    co_return fail(std::move(link).error().while_doing("starting"));
  }
  auto connection = std::make_shared<LiveConnection>(
      shared_.executor, *std::move(link), std::move(connection_options), events_of(++serial_));
  const Result<void> opened =
      co_await io::without_exceptions(connection->open(io::now() + start_max));
  if (!opened) {
    stderr_tail_ = connection->end().stderr_tail;
    reason_before_ = "its start failed";
    retire(connection, run);
    co_return fail(opened.error());
  }
  co_return connection;
}

mcp::LinkOptions PoolServer::link_options(const Launch& launch) {
  return {.server = launch.server,
          .client_name = shared_.options.client_name,
          .features = launch.features,
          .roots_host = [this] { return shared_.leases.roots_host(key_); },
          .features_of = [this](const void* session,
                                const mcp::Host& host) { return features_of(session, host); },
          .tasks = launch.tasks,
          .protocol = protocol_of(launch),
          .era = launch.era,
          .has_headers = launch.remote.has_value(),
          .install_max = launch.deadlines.install,
          .list_quiet_max = launch.deadlines.call_quiet,
          .list_fresh_min = shared_.options.list_fresh_min};
}

// A server behind a url that could not be reached is asked again with the next call: it may be
// back, no process was started, and nobody waited long. So is one whose login was missing or no
// good in the store of replicas: somebody may have made it at another one by now.
bool PoolServer::was_cheap(const Start& start, const Error& error) const {
  constexpr std::chrono::seconds long_wait{5};
  const bool has_shared_login =
      launch_.remote && launch_.remote->access && launch_.remote->access->shared != nullptr;
  const bool is_of_login =
      error.code() == ErrorCode::unauthorized || error.code() == ErrorCode::protocol;
  return start.is_remote &&
         (error.code() == ErrorCode::unavailable || (is_of_login && has_shared_login)) &&
         io::now() - start.began < long_wait;
}

void PoolServer::finish(Start& start, Opened opened) {
  if (start_.get() == &start) {
    start_.reset();
    lifecycle_.set_failure_cheap(!opened && was_cheap(start, opened.error()));
    settle(opened);
  } else {
    if (opened) {  // given up while its last answer was on its way
      retire(*opened, start.run);
      opened = fail(ErrorCode::cancelled, "cancelled");
    }
    note_ended(start.run);
  }
  if (opened) {
    start.result = Acquired(*std::move(opened));
  } else if (opened.error().code() == ErrorCode::cancelled) {
    // The start was cancelled, not those who wait for it.
    start.result = fail(ErrorCode::unavailable, "the start was stopped");
  } else if (opened.error().code() == ErrorCode::unauthorized) {
    start.result = fail(opened.error());
  } else {
    start.result =
        fail(Error(ErrorCode::unavailable, opened.error().message()).with(opened.error().remedy()));
  }
  start.changed.notify_all();
}

// What the outcome of its start means for the server.
void PoolServer::settle(const Opened& opened) {
  if (opened) {
    connection_ = *opened;
    launch_.era = connection_->listing().era;
    reason_.clear();
    remedy_.reset();
    feed(LifecycleEvent::started);
    for (const auto& lease : shared_.leases.of(key_)) {
      if (lease->started) {
        lease->started(*opened);
      }
    }
  } else if (opened.error().code() == ErrorCode::cancelled) {
    feed(LifecycleEvent::start_cancelled);
  } else {
    reason_ = opened.error().message();
    remedy_ = opened.error().remedy();
    code_ = opened.error().code() == ErrorCode::unauthorized ? ErrorCode::unauthorized
                                                             : ErrorCode::unavailable;
    feed(LifecycleEvent::start_failed);
    for (const auto& lease : shared_.leases.of(key_)) {
      if (lease->failed) {
        lease->failed();
      }
    }
  }
}

// What a connection tells.

// A call may be over only after the pool has gone.
std::function<void(bool)> PoolServer::call_counter() {
  return [this, pool = shared_.weak_from_this()](bool begins) {
    if (!pool.expired()) {
      feed(begins ? LifecycleEvent::call_begin : LifecycleEvent::call_end);
    }
  };
}

void PoolServer::on_ended(std::uint64_t serial, const transport::LinkEnd& end) {
  stderr_tail_ = end.stderr_tail;
  reason_before_.clear();
  if (connection_ && serial_ == serial) {
    lose_connection(end.reason.empty() ? "the link broke" : end.reason);
  }
  for (const auto& lease : shared_.leases.of(key_)) {
    if (lease->events.ended) {
      lease->events.ended(end);
    }
  }
}

}  // namespace pi_mcp::servers
