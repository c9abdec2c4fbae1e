#include "servers/lifecycle.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pi_mcp::servers {
namespace {

using State = LifecycleState;
using Event = LifecycleEvent;
using Action = LifecycleAction;
using Guard = LifecycleGuard;

constexpr LifecycleRule rule(State state, Event event, Guard guard, Action action, State next) {
  return {.state = state, .event = event, .guard = guard, .action = action, .next = next};
}

constexpr std::array rules = {
    rule(State::stopped, Event::session_start, Guard::always, Action::start, State::starting),
    rule(State::stopped, Event::use, Guard::always, Action::start, State::starting),
    rule(State::stopped, Event::connect, Guard::always, Action::start, State::starting),
    rule(State::stopped, Event::close, Guard::always, Action::none, State::closed),

    rule(State::starting, Event::session_start, Guard::always, Action::join, State::starting),
    rule(State::starting, Event::use, Guard::always, Action::join, State::starting),
    rule(State::starting, Event::connect, Guard::always, Action::join, State::starting),
    rule(State::starting, Event::started, Guard::always, Action::none, State::ready),
    rule(State::starting, Event::start_failed, Guard::is_kept, Action::none, State::waiting),
    rule(State::starting, Event::start_failed, Guard::always, Action::none, State::failed),
    rule(State::starting, Event::start_cancelled, Guard::is_kept, Action::stop, State::waiting),
    rule(State::starting, Event::start_cancelled, Guard::always, Action::stop, State::stopped),
    rule(State::starting, Event::stop, Guard::always, Action::stop, State::stopped),
    rule(State::starting, Event::close, Guard::always, Action::stop, State::closed),

    rule(State::ready, Event::session_start, Guard::always, Action::give, State::ready),
    rule(State::ready, Event::use, Guard::always, Action::give, State::ready),
    rule(State::ready, Event::connect, Guard::always, Action::give, State::ready),
    rule(State::ready, Event::link_ended, Guard::restarts_at_once, Action::start, State::starting),
    rule(State::ready, Event::link_ended, Guard::is_kept, Action::none, State::waiting),
    rule(State::ready, Event::link_ended, Guard::always, Action::none, State::stopped),
    rule(State::ready, Event::call_end, Guard::is_idle, Action::stop, State::stopped),
    rule(State::ready, Event::leases_changed, Guard::is_idle, Action::stop, State::stopped),
    rule(State::ready, Event::wake, Guard::is_idle, Action::stop, State::stopped),
    rule(State::ready, Event::wake, Guard::is_silent, Action::check, State::ready),
    rule(State::ready, Event::stop, Guard::always, Action::stop, State::stopped),
    rule(State::ready, Event::close, Guard::always, Action::stop, State::closed),

    rule(State::waiting, Event::session_start, Guard::in_backoff, Action::refuse, State::waiting),
    rule(State::waiting, Event::session_start, Guard::always, Action::start, State::starting),
    rule(State::waiting, Event::use, Guard::in_backoff, Action::refuse, State::waiting),
    rule(State::waiting, Event::use, Guard::always, Action::start, State::starting),
    rule(State::waiting, Event::connect, Guard::always, Action::start, State::starting),
    rule(State::waiting, Event::leases_changed, Guard::is_kept, Action::none, State::waiting),
    rule(State::waiting, Event::leases_changed, Guard::has_failed, Action::none, State::failed),
    rule(State::waiting, Event::leases_changed, Guard::always, Action::none, State::stopped),
    rule(State::waiting, Event::wake, Guard::is_due, Action::start, State::starting),
    rule(State::waiting, Event::stop, Guard::always, Action::none, State::stopped),
    rule(State::waiting, Event::close, Guard::always, Action::none, State::closed),

    rule(State::failed, Event::session_start, Guard::in_backoff, Action::refuse, State::failed),
    rule(State::failed, Event::session_start, Guard::always, Action::start, State::starting),
    rule(State::failed, Event::use, Guard::in_backoff, Action::refuse, State::failed),
    rule(State::failed, Event::use, Guard::always, Action::start, State::starting),
    rule(State::failed, Event::connect, Guard::always, Action::start, State::starting),
    rule(State::failed, Event::close, Guard::always, Action::none, State::closed),

    rule(State::closed, Event::session_start, Guard::always, Action::refuse, State::closed),
    rule(State::closed, Event::use, Guard::always, Action::refuse, State::closed),
    rule(State::closed, Event::connect, Guard::always, Action::refuse, State::closed),
};

// From 0 minutes or less: never. What does not fit into the clock is never too.
std::optional<Milliseconds> idle_limit(double minutes) {
  constexpr double minutes_max = 60.0 * 24 * 365;
  if (!(minutes > 0) || minutes > minutes_max) {
    return std::nullopt;
  }
  return Milliseconds(std::llround(std::ceil(minutes * 60'000)));
}

}  // namespace

std::span<const LifecycleRule> lifecycle_rules() {
  return rules;
}

LifecyclePolicy lifecycle_policy(const config::Server& server, const config::Settings& settings) {
  using config::LifecycleMode;
  LifecyclePolicy policy{.mode = server.lifecycle, .idle_max = std::nullopt};
  const std::optional<double> own = server.idle_timeout_minutes;
  if (server.lifecycle == LifecycleMode::lazy) {
    policy.idle_max = idle_limit(own.value_or(settings.idle_timeout_minutes));
  } else if (server.lifecycle == LifecycleMode::eager) {
    policy.idle_max = idle_limit(own.value_or(0));
  }
  return policy;
}

std::optional<Milliseconds> claim_rest(const config::Server& server,
                                       const config::Settings& settings) {
  return idle_limit(server.idle_timeout_minutes.value_or(settings.idle_timeout_minutes));
}

bool starts_with_session(config::LifecycleMode mode) {
  return mode == config::LifecycleMode::eager || mode == config::LifecycleMode::keep_alive;
}

LifecyclePolicy LifecyclePolicy::merged_with(const LifecyclePolicy& other) const {
  // Declared in this order: lazy, eager, keep_alive, lazy_keep_alive.
  using config::LifecycleMode;
  LifecyclePolicy merged = *this;
  if (mode == LifecycleMode::keep_alive || other.mode == LifecycleMode::keep_alive) {
    merged.mode = LifecycleMode::keep_alive;
  } else {
    merged.mode = std::max(mode, other.mode);
  }
  merged.idle_max = idle_max && other.idle_max ? std::optional(std::max(*idle_max, *other.idle_max))
                                               : std::nullopt;
  return merged;
}

bool Lifecycle::is_kept() const {
  using config::LifecycleMode;
  return policy_.mode == LifecycleMode::keep_alive ||
         (policy_.mode == LifecycleMode::lazy_keep_alive && was_ready_);
}

std::optional<TimePoint> Lifecycle::deadline() const {
  if (state_ == State::waiting) {
    return next_try_;
  }
  const std::optional<TimePoint> idle = idle_deadline();
  const std::optional<TimePoint> check = check_deadline();
  return idle && check ? std::min(idle, check) : idle ? idle : check;
}

std::optional<TimePoint> Lifecycle::idle_deadline() const {
  const bool rests = state_ == State::ready && calls_in_flight_ == 0;
  return rests && policy_.idle_max ? std::optional(last_used_ + *policy_.idle_max) : std::nullopt;
}

std::optional<TimePoint> Lifecycle::check_deadline() const {
  const bool rests = state_ == State::ready && calls_in_flight_ == 0;
  return rests && ends_unseen_ && is_kept() ? std::optional(last_heard_ + limits_.check_every)
                                            : std::nullopt;
}

Milliseconds restart_delay(const LifecycleLimits& limits, std::uint32_t tries, double chance) {
  constexpr std::uint32_t doublings_max = 30;
  const auto grown =
      limits.restart_delay_first * (std::int64_t{1} << std::min(tries, doublings_max));
  const Milliseconds delay = std::min(grown, limits.restart_delay_max);
  return std::chrono::duration_cast<Milliseconds>(delay * (1 - chance / 4));
}

LifecycleAction Lifecycle::on(LifecycleEvent event, TimePoint now, double chance) {
  take_note(event, now);
  const auto* const found =
      std::find_if(rules.begin(), rules.end(), [this, event, now](const LifecycleRule& rule) {
        return rule.state == state_ && rule.event == event && holds(rule.guard, now);
      });
  if (found == rules.end()) {
    return Action::none;
  }
  if (found->next != state_) {
    enter(found->next, now, chance);
  }
  if (found->action == Action::check) {
    last_heard_ = now;  // the answer counts as a call
  }
  return found->action;
}

// What the guards look at later.
void Lifecycle::take_note(LifecycleEvent event, TimePoint now) {
  switch (event) {
    case Event::call_begin:
      ++calls_in_flight_;
      last_used_ = now;
      break;
    case Event::call_end:
      --calls_in_flight_;
      last_used_ = now;
      last_heard_ = now;
      break;
    case Event::session_start:
    case Event::use:
    case Event::connect:
      last_used_ = now;
      break;
    case Event::start_failed:
      failed_at_ = now;
      break;
    case Event::link_ended:
      if (now - ready_since_ >= limits_.stable_after) {
        restarted_at_once_ = false;
        delays_ = 0;
      }
      break;
    case Event::stop:
      was_ready_ = false;
      break;
    case Event::started:
    case Event::start_cancelled:
    case Event::leases_changed:
    case Event::wake:
    case Event::close:
      break;
  }
}

bool Lifecycle::holds(LifecycleGuard guard, TimePoint now) const {
  switch (guard) {
    case Guard::always:
      return true;
    case Guard::in_backoff:
      return failed_at_ && !failure_was_cheap_ && now - *failed_at_ < limits_.failure_backoff;
    case Guard::has_failed:
      return failed_at_.has_value();
    case Guard::is_kept:
      return is_kept();
    case Guard::restarts_at_once:
      return is_kept() && !restarted_at_once_ && delays_ == 0;
    case Guard::is_idle:
      return idle_deadline().value_or(TimePoint::max()) <= now;
    case Guard::is_silent:
      return check_deadline().value_or(TimePoint::max()) <= now;
    case Guard::is_due:
      return next_try_ <= now;
  }
  return false;
}

void Lifecycle::enter(LifecycleState next, TimePoint now, double chance) {
  if (next == State::ready) {
    ++connections_;
    was_ready_ = true;
    failed_at_.reset();
    ready_since_ = now;
    last_used_ = now;
    last_heard_ = now;
  } else if (next == State::waiting) {
    next_try_ = now + restart_delay(limits_, delays_, chance);
    ++delays_;
  } else if (next == State::starting && state_ == State::ready) {
    restarted_at_once_ = true;
  }
  state_ = next;
}

}  // namespace pi_mcp::servers
