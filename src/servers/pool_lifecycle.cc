// The part of Pool that does what the lifecycle of each server says: timers, ends, restarts.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "mcp/methods.h"
#include "servers/link/link_text.h"
#include "servers/pool_state.h"

namespace pi_mcp::servers {
namespace {

bool may_begin_delay(LifecycleEvent event) {
  return event == LifecycleEvent::start_failed || event == LifecycleEvent::start_cancelled ||
         event == LifecycleEvent::link_ended;
}

void log_wait(const PoolEntry& entry, TimePoint now) {
  if (entry.lifecycle.state() == LifecycleState::waiting) {
    const auto delay = std::chrono::ceil<Milliseconds>(entry.lifecycle.next_try() - now);
    log::info("servers: " + entry.name + ": " + entry.reason + "; next try in " +
              mcp::duration_text(delay));
  }
}

}  // namespace

// Every event of a server goes through here.
LifecycleAction Pool::State::feed(PoolEntry& entry, LifecycleEvent event) {
  const TimePoint now = io::now();
  const double chance = may_begin_delay(event) ? io::random_fraction() : 0;
  const LifecycleAction action = entry.lifecycle.on(event, now, chance);
  if (action == LifecycleAction::start) {
    const bool kept = event == LifecycleEvent::link_ended || event == LifecycleEvent::wake;
    start(entry, kept);
  } else if (action == LifecycleAction::stop) {
    shut(entry);
  } else if (action == LifecycleAction::check) {
    tasks.spawn(
        "check " + entry.name,
        check(&entry, entry.connection),
        [this, checked = &entry, connection = entry.connection](const std::string& /*what*/) {
          if (checked->connection == connection) {
            lose_connection(*checked, "it could not be checked");
          }
        });
  }
  if (may_begin_delay(event)) {
    log_wait(entry, now);
  }
  watch_deadline(entry);
  return action;
}

// Deadlines.

void Pool::State::watch_deadline(const PoolEntry& entry) {
  const std::optional<TimePoint> deadline = entry.lifecycle.deadline();
  if (!deadline || *deadline >= deadline_armed) {
    return;
  }
  if (deadline_task == 0) {
    deadline_task = tasks.spawn(
        "watching idle servers", watch_deadlines(), [this](const std::string& /*what*/) {
          deadline_task = 0;  // the next deadline has it watched again
          deadline_armed = TimePoint::max();
        });
  }
  deadline_armed = *deadline;
  earlier_deadline.notify_all();
}

io::Task<void> Pool::State::watch_deadlines() {
  for (;;) {
    deadline_armed = TimePoint::max();
    for (const auto& [key, entry] : entries) {
      deadline_armed =
          std::min(deadline_armed, entry->lifecycle.deadline().value_or(TimePoint::max()));
    }
    const io::Wake wake = co_await earlier_deadline.wait_until(deadline_armed);
    if (wake == io::Wake::cancelled) {
      co_return;
    }
    wake_due();
  }
}

void Pool::State::wake_due() {
  for (const auto& [key, entry] : entries) {
    const std::optional<TimePoint> deadline = entry->lifecycle.deadline();
    if (!deadline || *deadline > io::now()) {
      continue;
    }
    const LifecycleAction action = feed(*entry, LifecycleEvent::wake);
    if (action == LifecycleAction::stop) {
      const Milliseconds idle = entry->lifecycle.policy().idle_max.value_or(Milliseconds(0));
      log::info("servers: " + entry->name + " stopped after " + mcp::duration_text(idle) + " idle");
    }
  }
}

// Leases.

void Pool::State::update_policy(PoolEntry& entry) {
  std::optional<LifecyclePolicy> wanted = leases.policy(entry.key);
  // Without any lease: nothing is kept beyond the calls in flight, no secret beyond the start.
  if (!wanted) {
    wanted = LifecyclePolicy{.mode = config::LifecycleMode::lazy, .idle_max = Milliseconds(0)};
    entry.launch = Launch();
  }
  entry.lifecycle.set_policy(*wanted);
  feed(entry, LifecycleEvent::leases_changed);
  if (entry.attempt && entry.attempt->kept && !entry.lifecycle.is_kept()) {
    entry.attempt->kept = false;
    if (entry.attempt->waiting == 0) {
      feed(entry, LifecycleEvent::start_cancelled);
    }
  }
}

// What connections tell.

ConnectionEvents Pool::State::events_for(PoolEntry* entry, std::uint64_t serial) {
  const auto telling = [this, entry](auto event) {
    return [this, entry, event](const auto&... what) {
      for (const auto& lease : leases.of(entry->key)) {
        if (lease->events.*event) {
          (lease->events.*event)(what...);
        }
      }
    };
  };
  ConnectionEvents events;
  events.listing_changed = telling(&ConnectionEvents::listing_changed);
  events.log_message = telling(&ConnectionEvents::log_message);
  events.starting = telling(&ConnectionEvents::starting);
  events.wrote_stderr = telling(&ConnectionEvents::wrote_stderr);
  events.elicitation_complete = telling(&ConnectionEvents::elicitation_complete);
  events.ended = [this, entry, serial](const transport::LinkEnd& end) {
    on_ended(*entry, serial, end);
  };
  return events;
}

// A call may be over only after the pool has gone.
std::function<void(bool)> Pool::State::call_counter(PoolEntry* entry) {
  return [pool = weak_from_this(), entry](bool begins) {
    if (const std::shared_ptr<State> state = pool.lock()) {
      state->feed(*entry, begins ? LifecycleEvent::call_begin : LifecycleEvent::call_end);
    }
  };
}

void Pool::State::on_ended(PoolEntry& entry, std::uint64_t serial, const transport::LinkEnd& end) {
  entry.stderr_tail = end.stderr_tail;
  entry.reason_before.clear();
  if (entry.connection && entry.serial == serial) {
    lose_connection(entry, end.reason.empty() ? "the link broke" : end.reason);
  }
  for (const auto& lease : leases.of(entry.key)) {
    if (lease->events.ended) {
      lease->events.ended(end);
    }
  }
}

void Pool::State::lose_connection(PoolEntry& entry, std::string reason) {
  entry.reason = std::move(reason);
  entry.reason_before = entry.reason;
  retire(entry, std::exchange(entry.connection, nullptr));
  feed(entry, LifecycleEvent::link_ended);
}

// Any answer will do, also a refusal: the server is there. One that takes too long may be busy, so
// it is asked twice.
io::Task<void> Pool::State::check(PoolEntry* entry, std::shared_ptr<LiveConnection> connection) {
  constexpr int tries = 2;
  const CallOptions limits{
      .quiet_max = options.check_max, .total_max = options.check_max, .on_progress = {}};
  const std::string method(connection->traits().has_handshake ? mcp::method::ping
                                                              : mcp::method::server_discover);
  std::string reason;
  for (int i = 0; i < tries; ++i) {
    const Result<rpc::Message> answer = co_await connection->call(method, {}, limits);
    const ErrorCode code = answer ? ErrorCode::cancelled : answer.error().code();
    if (code != ErrorCode::timed_out && code != ErrorCode::unavailable && code != ErrorCode::io) {
      co_return;
    }
    reason = answer.error().message();
    if (code != ErrorCode::timed_out) {
      break;
    }
  }
  if (entry->connection == connection) {
    lose_connection(*entry, "it does not answer any more: " + reason);
  }
}

// Ending.

void Pool::State::shut(PoolEntry& entry) {
  cancel_start(entry);
  if (entry.connection) {
    entry.stderr_tail = entry.connection->end().stderr_tail;
    retire(entry, std::exchange(entry.connection, nullptr));
  }
}

// Nobody waits for this start any more, or nobody may: the next acquire() begins a new one.
void Pool::State::cancel_start(PoolEntry& entry) {
  if (const std::shared_ptr<Attempt> attempt = std::exchange(entry.attempt, nullptr)) {
    tasks.cancel(attempt->task);
  }
}

// Closes a connection that is no longer handed out, in a task that nobody cancels.
void Pool::State::retire(PoolEntry& entry, std::shared_ptr<LiveConnection> connection) {
  connection->give_up();
  ++entry.closing;
  auto closing = close_connection(&entry, connection);
  // What is half closed may not be destroyed: it is closed again.
  tasks.spawn("close a server",
              std::move(closing),
              [this, retired = &entry, connection = std::move(connection)](
                  const std::string& /*what*/) mutable {
                --retired->closing;
                retire(*retired, std::move(connection));
              });
}

io::Task<void> Pool::State::close_connection(PoolEntry* entry,
                                             std::shared_ptr<LiveConnection> connection) {
  co_await connection->close();
  entry->late_answers += connection->late_answers();
  --entry->closing;
  close_ended.notify_all();
}

}  // namespace pi_mcp::servers
