// Decides when a server is started, kept, stopped and started again. One machine per launch key;
// the pool runs it. docs/lifecycle.md shows the rules. Pure: time and chance are arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"
#include "config/settings.h"

namespace pi_mcp::servers {

enum class LifecycleState : std::uint8_t {
  stopped,
  starting,
  ready,
  waiting,  // kept alive, between two tries
  failed,   // the last start failed
  closed,   // the pool is shutting down; for good
};

enum class LifecycleEvent : std::uint8_t {
  session_start,  // a session warms up; nobody waits for it
  use,            // a call needs the server
  connect,        // somebody asked to connect: always tried
  started,
  start_failed,
  start_cancelled,  // nobody waits for the start any more
  link_ended,       // by itself
  call_begin,
  call_end,
  leases_changed,  // set_policy() was called
  wake,            // deadline() has passed
  stop,            // somebody asked to stop the server
  close,
};

enum class LifecycleAction : std::uint8_t {
  none,
  start,
  join,   // the start under way is for this caller too
  give,   // the open connection
  stop,   // end the connection, or the start under way
  check,  // ask whether the server still answers; link_ended when it does not
  refuse,
};

// What the sessions that lease a server want of it together.
struct LifecyclePolicy {
  config::LifecycleMode mode = config::LifecycleMode::lazy;
  // Without a call in flight for this long: stopped. nullopt: never.
  std::optional<Milliseconds> idle_max;

  // Both leases get what they want: the longer idle time, the mode that keeps more.
  [[nodiscard]] LifecyclePolicy merged_with(const LifecyclePolicy& other) const;
  bool operator==(const LifecyclePolicy&) const = default;
};

// What one configured server wants: its idleTimeout, else that of the settings. eager stops only by
// an idleTimeout of its own, the kept modes never; 0 and less is never.
LifecyclePolicy lifecycle_policy(const config::Server& server, const config::Settings& settings);

// How long what a session has claimed stays its when it may come back: its idleTimeout, else that
// of the settings. nullopt: for good.
std::optional<Milliseconds> claim_rest(const config::Server& server,
                                       const config::Settings& settings);

// eager and keep-alive.
bool starts_with_session(config::LifecycleMode mode);

// Which rule holds where several have the same state and event; the first one that holds decides.
enum class LifecycleGuard : std::uint8_t {
  always,
  in_backoff,        // the last start failed, less than failure_backoff ago, and it was not cheap
  has_failed,        // the last start failed
  is_kept,           // keep-alive; lazy-keep-alive once it was ready
  restarts_at_once,  // is_kept, and the first end since a stable connection
  is_idle,           // no call in flight, none for idle_max
  is_silent,         // kept, its link may end unseen, and no call for check_every
  is_due,            // the delay before the next try is over
};

struct LifecycleRule {
  LifecycleState state;
  LifecycleEvent event;
  LifecycleGuard guard;
  LifecycleAction action;
  LifecycleState next;
};

// Ordered by state and event. Whatever has no rule changes nothing.
std::span<const LifecycleRule> lifecycle_rules();

struct LifecycleLimits {
  // After a failed start that was not cheap, use is refused for this long; connect is not.
  Milliseconds failure_backoff{60'000};
  // Before a server that is kept alive is tried again: doubled after every try from the first to
  // the last, less up to a quarter by chance.
  Milliseconds restart_delay_first{1000};
  Milliseconds restart_delay_max{300'000};
  // A server that is kept and whose link may end unseen is asked when nothing was heard for this
  // long.
  Milliseconds check_every{30'000};
  // A connection that lasted this long starts the delays anew.
  Milliseconds stable_after{60'000};
};

// Before the next try after `tries` that failed; `chance` is a random number in [0, 1).
Milliseconds restart_delay(const LifecycleLimits& limits, std::uint32_t tries, double chance);

class Lifecycle {
 public:
  explicit Lifecycle(LifecycleLimits limits = {}) : limits_(limits) {}

  // Whether trying a start that failed again would cost nobody anything: use is not refused then.
  // To be followed by on(start_failed).
  void set_failure_cheap(bool cheap) { failure_was_cheap_ = cheap; }
  [[nodiscard]] bool refuses_use(TimePoint now) const {
    return holds(LifecycleGuard::in_backoff, now);
  }

  // To be followed by on(leases_changed).
  void set_policy(LifecyclePolicy policy) { policy_ = policy; }

  // Whether the other side may go away without the link telling (a url, not a process).
  void set_ends_unseen(bool unseen) { ends_unseen_ = unseen; }

  // Takes one event and says what to do now. `chance` is a random number in [0, 1).
  LifecycleAction on(LifecycleEvent event, TimePoint now, double chance);

  // When on(wake) has something to do; changes only in on().
  [[nodiscard]] std::optional<TimePoint> deadline() const;

  [[nodiscard]] LifecycleState state() const { return state_; }
  [[nodiscard]] const LifecyclePolicy& policy() const { return policy_; }
  [[nodiscard]] bool is_kept() const;
  [[nodiscard]] std::size_t calls_in_flight() const { return calls_in_flight_; }
  [[nodiscard]] std::optional<TimePoint> failed_at() const { return failed_at_; }
  // When the newest connection became ready.
  [[nodiscard]] TimePoint ready_since() const { return ready_since_; }
  // When a waiting server is tried again.
  [[nodiscard]] TimePoint next_try() const { return next_try_; }
  // Connections after the first one.
  [[nodiscard]] std::uint64_t restarts() const { return connections_ > 0 ? connections_ - 1 : 0; }

 private:
  void take_note(LifecycleEvent event, TimePoint now);
  [[nodiscard]] std::optional<TimePoint> idle_deadline() const;
  [[nodiscard]] std::optional<TimePoint> check_deadline() const;
  [[nodiscard]] bool holds(LifecycleGuard guard, TimePoint now) const;
  void enter(LifecycleState next, TimePoint now, double chance);

  LifecycleLimits limits_;
  LifecyclePolicy policy_;
  LifecycleState state_ = LifecycleState::stopped;
  std::optional<TimePoint> failed_at_;  // of the last start, until one succeeds
  TimePoint ready_since_;
  TimePoint last_used_;
  TimePoint last_heard_;  // of the server, or asked
  TimePoint next_try_;
  std::size_t calls_in_flight_ = 0;
  std::uint64_t connections_ = 0;
  bool was_ready_ = false;  // since it was last asked to stop
  bool ends_unseen_ = false;
  bool failure_was_cheap_ = false;
  // Since the last stable connection.
  bool restarted_at_once_ = false;
  std::uint32_t delays_ = 0;
};

}  // namespace pi_mcp::servers
