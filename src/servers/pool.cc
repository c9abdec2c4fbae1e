#include "servers/pool.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/log.h"
#include "io/clock.h"
#include "io/condition.h"
#include "io/task_group.h"
#include "servers/live_connection.h"

namespace pi_mcp::servers {
namespace {

using Acquired = Result<std::shared_ptr<Connection>>;

// One start under way, shared by everybody who waits for it.
struct Attempt {
  explicit Attempt(const io::Executor& executor) : changed(executor) {}

  io::Condition changed;  // result or urgent
  std::optional<Acquired> result;
  std::size_t waiting = 0;
  bool urgent = false;  // somebody waits who must not wait for other servers
  io::TaskGroup::TaskId task = 0;
};

// What the pool knows of one launch key. Kept for good: the reason of a failure and the last stderr
// are asked for later.
struct Entry {
  std::string key;
  std::shared_ptr<LiveConnection> connection;  // open
  std::shared_ptr<Attempt> attempt;            // never together with `connection`
  std::uint64_t serial = 0;                    // of the newest connection
  std::string reason;                          // of the last failure, until a success
  std::optional<TimePoint> failed_at;          // the same
  std::optional<TimePoint> connected_at;
  std::string stderr_tail;  // of the last connection that ended
  std::size_t closing = 0;  // connections of this key that are being closed
};

struct Subscriber {
  std::string key;
  const void* owner;
  std::shared_ptr<const ConnectionEvents> events;
};

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::round<std::chrono::seconds>(duration).count();
}

}  // namespace

struct Pool::State {
  State(io::Executor on, Options given, Connector connect)
      : executor(std::move(on)),
        options(std::move(given)),
        connector(std::move(connect)),
        handshake_ended(executor),
        close_ended(executor),
        tasks(executor) {}

  Entry& entry(const std::string& key);
  [[nodiscard]] const Entry* find(std::string_view key) const;

  io::Task<Acquired> acquire(Launch launch, Use use);
  [[nodiscard]] std::optional<Error> refusal(const Entry& entry,
                                             const Launch& launch,
                                             Use use) const;
  void start(Entry& entry, Launch launch);
  io::Task<void> run_start(Entry* entry, std::shared_ptr<Attempt> attempt, Launch launch);
  io::Task<Acquired> open(Entry* entry, Launch launch);
  io::Task<bool> wait_turn(std::shared_ptr<Attempt> attempt);
  void finish(Entry& entry, Attempt& attempt, Acquired result);
  void retire(Entry& entry, std::shared_ptr<LiveConnection> connection);
  io::Task<void> close_connection(Entry* entry, std::shared_ptr<LiveConnection> connection);
  void cancel_start(Entry& entry);
  void shut(Entry& entry);

  ConnectionEvents events_for(Entry* entry, std::uint64_t serial);
  void on_ended(Entry& entry, std::uint64_t serial, const transport::LinkEnd& end);
  [[nodiscard]] std::vector<std::shared_ptr<const ConnectionEvents>> subscribers_of(
      const Entry& entry) const;

  io::Executor executor;
  Options options;
  Connector connector;
  std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries;
  std::vector<Subscriber> subscribers;
  std::size_t handshakes = 0;     // starts under way that are past wait_turn()
  io::Condition handshake_ended;  // `handshakes` went down, or an attempt became urgent
  io::Condition close_ended;      // some Entry::closing went down
  bool closed = false;
  io::TaskGroup tasks;
};

Entry& Pool::State::entry(const std::string& key) {
  std::unique_ptr<Entry>& found = entries[key];
  if (!found) {
    found = std::make_unique<Entry>();
    found->key = key;
  }
  return *found;
}

const Entry* Pool::State::find(std::string_view key) const {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : found->second.get();
}

// Starting.

io::Task<Acquired> Pool::State::acquire(Launch launch, Use use) {
  Entry& found = entry(launch.key());
  if (found.connection && found.connection->is_open()) {
    co_return found.connection;
  }
  const std::string server = launch.server;
  if (!found.attempt) {
    if (const std::optional<Error> refused = refusal(found, launch, use)) {
      co_return fail(*refused);
    }
    start(found, std::move(launch));
  }
  const std::shared_ptr<Attempt> attempt = found.attempt;
  if (use != Use::background && !attempt->urgent) {
    attempt->urgent = true;
    handshake_ended.notify_all();
  }
  ++attempt->waiting;
  auto wake = io::Wake::notified;
  while (!attempt->result && wake != io::Wake::cancelled) {
    wake = co_await attempt->changed.wait();
  }
  --attempt->waiting;
  if (wake == io::Wake::cancelled) {
    if (attempt->waiting == 0 && found.attempt == attempt) {
      cancel_start(found);
    }
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  const Acquired result = attempt->result.value_or(fail(ErrorCode::cancelled, "cancelled"));
  if (!result) {
    co_return fail(Error(result.error()).while_doing(server));
  }
  co_return result;
}

std::optional<Error> Pool::State::refusal(const Entry& entry, const Launch& launch, Use use) const {
  if (closed) {
    return Error(ErrorCode::unavailable, launch.server + ": pi-mcp is shutting down");
  }
  if (use == Use::on_demand || !entry.failed_at) {
    return std::nullopt;
  }
  const Duration age = io::now() - *entry.failed_at;
  if (age >= options.failure_backoff) {
    return std::nullopt;
  }
  return Error(ErrorCode::unavailable,
               launch.server + ": not available (last failed " +
                   std::to_string(whole_seconds(age)) + "s ago): " + entry.reason);
}

void Pool::State::start(Entry& entry, Launch launch) {
  entry.attempt = std::make_shared<Attempt>(executor);
  std::string name = "start " + launch.server;
  entry.attempt->task =
      tasks.spawn(std::move(name), run_start(&entry, entry.attempt, std::move(launch)));
}

io::Task<void> Pool::State::run_start(Entry* entry,
                                      std::shared_ptr<Attempt> attempt,
                                      Launch launch) {
  const bool may_start = co_await wait_turn(attempt);
  if (!may_start) {
    finish(*entry, *attempt, fail(ErrorCode::cancelled, "cancelled"));
    co_return;
  }
  ++handshakes;
  Acquired opened = co_await open(entry, std::move(launch));
  --handshakes;
  handshake_ended.notify_all();
  finish(*entry, *attempt, std::move(opened));
}

// False: cancelled.
io::Task<bool> Pool::State::wait_turn(std::shared_ptr<Attempt> attempt) {
  while (!attempt->urgent && handshakes >= options.handshakes_max) {
    const io::Wake wake = co_await handshake_ended.wait();
    if (wake == io::Wake::cancelled) {
      co_return false;
    }
  }
  co_return true;
}

io::Task<Acquired> Pool::State::open(Entry* entry, Launch launch) {
  const Milliseconds start_max = launch.deadlines.start;
  LiveConnection::Options connection_options{.server = launch.server,
                                             .client_name = options.client_name,
                                             .install_max = launch.deadlines.install,
                                             .list_quiet_max = launch.deadlines.call_quiet};
  Result<std::unique_ptr<transport::Transport>> link = co_await connector(std::move(launch));
  if (!link) {
    co_return fail(std::move(link).error().while_doing("starting"));
  }
  const std::uint64_t serial = ++entry->serial;
  const auto connection = std::make_shared<LiveConnection>(
      executor, *std::move(link), std::move(connection_options), events_for(entry, serial));
  const Result<void> opened = co_await connection->open(io::now() + start_max);
  // A start that was given up, or overtaken by a newer one, ends here too.
  if (!opened || closed || entry->serial != serial) {
    entry->stderr_tail = connection->end().stderr_tail;
    retire(*entry, connection);
    co_return opened ? fail(ErrorCode::cancelled, "cancelled") : fail(opened.error());
  }
  entry->connection = connection;
  co_return connection;
}

void Pool::State::finish(Entry& entry, Attempt& attempt, Acquired result) {
  if (result) {
    entry.connected_at = io::now();
    entry.failed_at.reset();
    entry.reason.clear();
  } else if (result.error().code() != ErrorCode::cancelled) {
    entry.failed_at = io::now();
    entry.reason = result.error().message();
  }
  if (entry.attempt.get() == &attempt) {
    entry.attempt.reset();
  }
  if (!result && result.error().code() == ErrorCode::cancelled) {
    // The start was cancelled, not those who wait for it.
    result = fail(ErrorCode::unavailable, "the start was stopped");
  } else if (!result && result.error().code() != ErrorCode::unauthorized) {
    result = fail(ErrorCode::unavailable, result.error().message());
  }
  attempt.result = std::move(result);
  attempt.changed.notify_all();
}

// Nobody waits for this start any more, or nobody may: the next acquire() begins a new one.
void Pool::State::cancel_start(Entry& entry) {
  if (const std::shared_ptr<Attempt> attempt = std::exchange(entry.attempt, nullptr)) {
    tasks.cancel(attempt->task);
  }
}

// Ending.

// Closes a connection that is no longer handed out, in a task that nobody cancels.
void Pool::State::retire(Entry& entry, std::shared_ptr<LiveConnection> connection) {
  ++entry.closing;
  tasks.spawn("close a server", close_connection(&entry, std::move(connection)));
}

io::Task<void> Pool::State::close_connection(Entry* entry,
                                             std::shared_ptr<LiveConnection> connection) {
  co_await connection->close();
  --entry->closing;
  close_ended.notify_all();
}

void Pool::State::shut(Entry& entry) {
  cancel_start(entry);
  if (entry.connection) {
    entry.stderr_tail = entry.connection->end().stderr_tail;
    retire(entry, std::exchange(entry.connection, nullptr));
  }
}

// Events.

std::vector<std::shared_ptr<const ConnectionEvents>> Pool::State::subscribers_of(
    const Entry& entry) const {
  std::vector<std::shared_ptr<const ConnectionEvents>> found;
  for (const Subscriber& subscriber : subscribers) {
    if (subscriber.key == entry.key) {
      found.push_back(subscriber.events);
    }
  }
  return found;
}

ConnectionEvents Pool::State::events_for(Entry* entry, std::uint64_t serial) {
  ConnectionEvents events;
  events.offer_changed = [this, entry](const mcp::Offer& offer) {
    for (const auto& subscriber : subscribers_of(*entry)) {
      if (subscriber->offer_changed) {
        subscriber->offer_changed(offer);
      }
    }
  };
  events.log_message = [this, entry](json::Value params) {
    for (const auto& subscriber : subscribers_of(*entry)) {
      if (subscriber->log_message) {
        subscriber->log_message(params);
      }
    }
  };
  events.starting = [this, entry](std::string_view what) {
    for (const auto& subscriber : subscribers_of(*entry)) {
      if (subscriber->starting) {
        subscriber->starting(what);
      }
    }
  };
  events.ended = [this, entry, serial](const transport::LinkEnd& end) {
    on_ended(*entry, serial, end);
  };
  return events;
}

void Pool::State::on_ended(Entry& entry, std::uint64_t serial, const transport::LinkEnd& end) {
  entry.stderr_tail = end.stderr_tail;
  if (entry.connection && entry.serial == serial) {
    retire(entry, std::exchange(entry.connection, nullptr));
  }
  for (const auto& subscriber : subscribers_of(entry)) {
    if (subscriber->ended) {
      subscriber->ended(end);
    }
  }
}

// The pool itself.

Pool::Pool(io::Executor executor, Options options, Connector connector)
    : state_(
          std::make_unique<State>(std::move(executor), std::move(options), std::move(connector))) {}

Pool::~Pool() = default;

io::Task<Acquired> Pool::acquire(Launch launch, Use use) {
  return state_->acquire(std::move(launch), use);
}

std::shared_ptr<Connection> Pool::find(std::string_view key) const {
  const Entry* entry = state_->find(key);
  return entry != nullptr && entry->connection && entry->connection->is_open() ? entry->connection
                                                                               : nullptr;
}

void Pool::subscribe(std::string key, const void* owner, ConnectionEvents events) {
  state_->subscribers.push_back(
      {.key = std::move(key),
       .owner = owner,
       .events = std::make_shared<const ConnectionEvents>(std::move(events))});
}

void Pool::unsubscribe(const void* owner) {
  std::erase_if(state_->subscribers,
                [owner](const Subscriber& subscriber) { return subscriber.owner == owner; });
}

PoolStatus Pool::status(std::string_view key) const {
  PoolStatus status;
  const Entry* entry = state_->find(key);
  if (entry == nullptr) {
    return status;
  }
  status.reason = entry->reason;
  status.failed_at = entry->failed_at;
  if (entry->connection && entry->connection->is_open()) {
    status.state = ConnectionState::connected;
    status.connected_at = entry->connected_at;
    status.process_id = entry->connection->process_id();
  } else if (entry->attempt) {
    status.state = ConnectionState::connecting;
  } else if (entry->failed_at) {
    status.state = ConnectionState::failed;
  }
  return status;
}

std::string Pool::stderr_tail(std::string_view key) const {
  const Entry* entry = state_->find(key);
  if (entry == nullptr) {
    return {};
  }
  return entry->connection ? entry->connection->end().stderr_tail : entry->stderr_tail;
}

io::Task<void> Pool::stop(std::string key) {
  const auto found = state_->entries.find(key);
  if (found == state_->entries.end()) {
    co_return;
  }
  Entry* entry = found->second.get();
  state_->shut(*entry);
  auto wake = io::Wake::notified;
  while (entry->closing > 0 && wake != io::Wake::cancelled) {
    wake = co_await state_->close_ended.wait();
  }
}

io::Task<void> Pool::close() {
  state_->closed = true;
  for (const auto& [key, entry] : state_->entries) {
    state_->shut(*entry);
  }
  co_await state_->tasks.join();
}

}  // namespace pi_mcp::servers
