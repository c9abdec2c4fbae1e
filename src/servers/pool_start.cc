// The part of Pool that starts servers: one start for everybody who waits, a few at a time.
#include <utility>

#include "io/loop/clock.h"
#include "servers/pool_state.h"

namespace pi_mcp::servers {
namespace {

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

mcp::Protocol protocol_of(const Launch& launch) {
  if (launch.remote && launch.remote->kind == config::HttpTransport::sse) {
    return mcp::Protocol::handshake;  // that transport is older than the others
  }
  return launch.protocol;
}

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::round<std::chrono::seconds>(duration).count();
}

// nullopt: the waiting task was cancelled.
io::Task<std::optional<Acquired>> wait_for(std::shared_ptr<Attempt> attempt) {
  while (!attempt->result) {
    const io::Wake wake = co_await attempt->changed.wait();
    if (wake == io::Wake::cancelled) {
      co_return std::nullopt;
    }
  }
  co_return attempt->result;
}

Error refusal(const PoolEntry& entry) {
  const std::optional<TimePoint> failed_at = entry.lifecycle.failed_at();
  if (entry.lifecycle.state() == LifecycleState::closed || !failed_at) {
    return {ErrorCode::unavailable, "pi-mcp is shutting down"};
  }
  return {ErrorCode::unavailable,
          "not available (last failed " + std::to_string(whole_seconds(io::now() - *failed_at)) +
              "s ago): " + entry.reason};
}

}  // namespace

io::Task<Acquired> Pool::State::acquire(Launch launch, Use use) {
  PoolEntry& found = entry(launch.key());
  const std::string server = launch.server;
  found.name = server;
  found.launch = std::move(launch);
  switch (feed(found, event_of(use))) {
    case LifecycleAction::give:
      co_return found.connection;
    case LifecycleAction::refuse:
      co_return fail(refusal(found).while_doing(server));
    case LifecycleAction::start:
    case LifecycleAction::join:
    case LifecycleAction::none:
    case LifecycleAction::stop:
    case LifecycleAction::check:
      break;
  }
  const std::shared_ptr<Attempt> attempt = found.attempt;
  if (use != Use::background && !attempt->urgent) {
    attempt->urgent = true;
    slot_freed.notify_all();
  }
  ++attempt->waiting;
  const std::optional<Acquired> result = co_await wait_for(attempt);
  --attempt->waiting;
  if (!result) {
    if (attempt->waiting == 0 && !attempt->kept && found.attempt == attempt) {
      feed(found, LifecycleEvent::start_cancelled);
    }
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (!*result) {
    co_return fail(Error(result->error()).while_doing(server));
  }
  co_return *result;
}

// `kept`: asked for by the lifecycle, not by a caller who may go away.
void Pool::State::start(PoolEntry& entry, bool kept) {
  entry.attempt = std::make_shared<Attempt>(executor);
  entry.attempt->kept = kept;
  entry.lifecycle.set_ends_unseen(entry.launch.remote.has_value());
  std::string task_name = "start " + entry.name;
  entry.attempt->task = tasks.spawn(
      std::move(task_name),
      run_start(&entry, entry.attempt, entry.launch),
      [this, started = &entry, attempt = entry.attempt](const std::string& what) {
        free_slot(*attempt);
        finish(*started, *attempt, fail(ErrorCode::unavailable, io::escaped_text(what)));
      });
}

void Pool::State::free_slot(Attempt& attempt) {
  if (const std::optional<bool> background = std::exchange(attempt.slot, std::nullopt)) {
    slots.end(*background);
    slot_freed.notify_all();
  }
}

io::Task<void> Pool::State::run_start(PoolEntry* entry,
                                      std::shared_ptr<Attempt> attempt,
                                      Launch launch) {
  while (!slots.is_free(!attempt->urgent)) {
    if (co_await slot_freed.wait() == io::Wake::cancelled) {
      finish(*entry, *attempt, fail(ErrorCode::cancelled, "cancelled"));
      co_return;
    }
  }
  const bool background = !attempt->urgent;
  slots.begin(background);
  attempt->slot = background;
  Result<std::shared_ptr<LiveConnection>> opened = co_await open(entry, std::move(launch));
  free_slot(*attempt);
  finish(*entry, *attempt, std::move(opened));
}

io::Task<Result<std::shared_ptr<LiveConnection>>> Pool::State::open(PoolEntry* entry,
                                                                    Launch launch) {
  const Milliseconds start_max = launch.deadlines.start;
  LiveConnection::Options connection_options{
      .link = {.server = launch.server,
               .client_name = options.client_name,
               .features = launch.features,
               .host = [this, entry] { return leases.only_host(entry->key); },
               .protocol = protocol_of(launch),
               .has_headers = launch.remote.has_value(),
               .install_max = launch.deadlines.install,
               .list_quiet_max = launch.deadlines.call_quiet,
               .list_fresh_min = options.list_fresh_min},
      .pages = launch.pages,
      .on_call = call_counter(entry)};
  Result<std::unique_ptr<transport::Transport>> link = co_await connector(std::move(launch));
  if (!link) {
    co_return fail(std::move(link).error().while_doing("starting"));
  }
  const std::uint64_t serial = ++entry->serial;
  auto connection = std::make_shared<LiveConnection>(
      executor, *std::move(link), std::move(connection_options), events_for(entry, serial));
  const Result<void> opened =
      co_await io::without_exceptions(connection->open(io::now() + start_max));
  if (!opened) {
    entry->stderr_tail = connection->end().stderr_tail;
    entry->reason_before = "its start failed";
    retire(*entry, connection);
    co_return fail(opened.error());
  }
  co_return connection;
}

void Pool::State::finish(PoolEntry& entry,
                         Attempt& attempt,
                         Result<std::shared_ptr<LiveConnection>> opened) {
  if (entry.attempt.get() == &attempt) {
    entry.attempt.reset();
    settle(entry, opened);
  } else if (opened) {  // given up while its last answer was on its way
    retire(entry, *opened);
    opened = fail(ErrorCode::cancelled, "cancelled");
  }
  if (opened) {
    attempt.result = Acquired(*std::move(opened));
  } else if (opened.error().code() == ErrorCode::cancelled) {
    // The start was cancelled, not those who wait for it.
    attempt.result = fail(ErrorCode::unavailable, "the start was stopped");
  } else if (opened.error().code() == ErrorCode::unauthorized) {
    attempt.result = fail(opened.error());
  } else {
    attempt.result = fail(ErrorCode::unavailable, opened.error().message());
  }
  attempt.changed.notify_all();
}

// What the outcome of its start means for the server.
void Pool::State::settle(PoolEntry& entry, const Result<std::shared_ptr<LiveConnection>>& opened) {
  if (opened) {
    entry.connection = *opened;
    entry.reason.clear();
    feed(entry, LifecycleEvent::started);
    for (const auto& lease : leases.of(entry.key)) {
      if (lease->started) {
        lease->started(*opened);
      }
    }
  } else if (opened.error().code() == ErrorCode::cancelled) {
    feed(entry, LifecycleEvent::start_cancelled);
  } else {
    entry.reason = opened.error().message();
    feed(entry, LifecycleEvent::start_failed);
    for (const auto& lease : leases.of(entry.key)) {
      if (lease->failed) {
        lease->failed();
      }
    }
  }
}

}  // namespace pi_mcp::servers
