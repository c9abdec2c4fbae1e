#include "servers/lifecycle.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

using config::LifecycleMode;
using std::chrono::minutes;
using std::chrono::seconds;

using State = LifecycleState;
using Event = LifecycleEvent;
using Action = LifecycleAction;
using Guard = LifecycleGuard;

constexpr std::array states = {
    State::stopped, State::starting, State::ready, State::waiting, State::failed, State::closed};
constexpr std::array state_names = {"stopped", "starting", "ready", "waiting", "failed", "closed"};
constexpr std::array events = {Event::session_start,
                               Event::use,
                               Event::connect,
                               Event::started,
                               Event::start_failed,
                               Event::start_cancelled,
                               Event::link_ended,
                               Event::call_begin,
                               Event::call_end,
                               Event::leases_changed,
                               Event::wake,
                               Event::stop,
                               Event::close};
constexpr std::array event_names = {"session_start",
                                    "use",
                                    "connect",
                                    "started",
                                    "start_failed",
                                    "start_cancelled",
                                    "link_ended",
                                    "call_begin",
                                    "call_end",
                                    "leases_changed",
                                    "wake",
                                    "stop",
                                    "close"};
constexpr std::array action_names = {"", "start", "join", "give", "stop", "check", "refuse"};
constexpr std::array guard_names = {"",
                                    "in backoff",
                                    "has failed",
                                    "is kept",
                                    "restarts at once",
                                    "is idle",
                                    "is silent",
                                    "is due"};

std::string name(State state) {
  return state_names.at(static_cast<std::size_t>(state));
}

// A machine, its clock and what it answered.
struct Machine {
  explicit Machine(LifecycleMode mode = LifecycleMode::lazy,
                   std::optional<Milliseconds> idle_max = minutes(10)) {
    lifecycle.set_policy({.mode = mode, .idle_max = idle_max});
  }

  Action on(Event event, double chance = 0) { return lifecycle.on(event, now, chance); }
  Action on_after(Duration pause, Event event) {
    now += pause;
    return on(event);
  }
  void all(std::initializer_list<Event> list) {
    for (const Event event : list) {
      on(event);
    }
  }
  // From now to the deadline; -1 when there is none.
  [[nodiscard]] std::int64_t seconds_left() const {
    const auto deadline = lifecycle.deadline();
    return deadline ? std::chrono::floor<seconds>(*deadline - now).count() : -1;
  }
  [[nodiscard]] State state() const { return lifecycle.state(); }

  Lifecycle lifecycle;
  TimePoint now{std::chrono::hours(100)};
};

// A machine in some state, and which conditions hold there.
struct Situation {
  State state;
  std::vector<Guard> holding;
  Machine machine;
};

Machine after(Machine machine, std::initializer_list<Event> list, Duration pause = {}) {
  machine.all(list);
  machine.now += pause;
  return machine;
}

Machine leased_by(Machine machine, LifecycleMode mode) {
  machine.lifecycle.set_policy({.mode = mode, .idle_max = std::nullopt});
  return machine;
}

Machine behind_a_url(Machine machine) {
  machine.lifecycle.set_ends_unseen(true);
  return machine;
}

std::vector<Situation> situations() {
  const Machine lazy;
  const Machine brief(LifecycleMode::lazy, Milliseconds(0));
  const Machine kept(LifecycleMode::keep_alive, std::nullopt);
  const Machine failed = after(lazy, {Event::use, Event::start_failed});
  const Machine tried = after(kept, {Event::use, Event::start_failed});
  const Machine back = after(kept, {Event::use, Event::started, Event::link_ended, Event::started});
  const Machine dropped = after(back, {Event::link_ended});
  return {
      {State::stopped, {}, lazy},
      {State::starting, {}, after(lazy, {Event::use})},
      {State::starting, {Guard::is_kept}, after(kept, {Event::use})},
      {State::ready, {}, after(lazy, {Event::use, Event::started})},
      {State::ready, {Guard::is_idle}, after(brief, {Event::use, Event::started})},
      {State::ready,
       {Guard::is_kept, Guard::restarts_at_once},
       after(kept, {Event::use, Event::started})},
      {State::ready, {Guard::is_kept}, back},
      {State::ready,
       {Guard::is_kept, Guard::is_silent},
       after(behind_a_url(back), {}, seconds(30))},
      {State::waiting, {Guard::in_backoff, Guard::has_failed, Guard::is_kept}, tried},
      {State::waiting,
       {Guard::has_failed, Guard::is_kept, Guard::is_due},
       after(tried, {}, seconds(60))},
      {State::waiting,
       {Guard::in_backoff, Guard::has_failed},
       leased_by(tried, LifecycleMode::lazy)},
      {State::waiting, {Guard::is_kept}, dropped},
      {State::waiting, {}, leased_by(dropped, LifecycleMode::lazy)},
      {State::failed, {Guard::in_backoff, Guard::has_failed}, failed},
      {State::failed, {Guard::has_failed}, after(failed, {}, seconds(60))},
      {State::closed, {}, after(lazy, {Event::close})},
  };
}

// The table.

const LifecycleRule* expected_rule(const Situation& situation, Event event) {
  for (const LifecycleRule& rule : lifecycle_rules()) {
    const bool holds = rule.guard == Guard::always ||
                       std::find(situation.holding.begin(), situation.holding.end(), rule.guard) !=
                           situation.holding.end();
    if (rule.state == situation.state && rule.event == event && holds) {
      return &rule;
    }
  }
  return nullptr;
}

TEST(LifecycleTable, every_state_and_event_does_what_its_rule_says_and_every_rule_is_reached) {
  std::set<const LifecycleRule*> reached;
  for (const Situation& situation : situations()) {
    EXPECT_EQ(situation.machine.state(), situation.state);
    for (const Event event : events) {
      Machine machine = situation.machine;
      if (event == Event::call_end) {
        machine.on(Event::call_begin);
      }
      const LifecycleRule* rule = expected_rule(situation, event);
      reached.insert(rule);
      const std::string where =
          name(situation.state) + " " + event_names.at(static_cast<std::size_t>(event));
      EXPECT_EQ(machine.on(event), rule == nullptr ? Action::none : rule->action) << where;
      EXPECT_EQ(name(machine.state()), name(rule == nullptr ? situation.state : rule->next))
          << where;
    }
  }
  reached.erase(nullptr);
  EXPECT_EQ(reached.size(), lifecycle_rules().size());
}

TEST(LifecycleTable, rules_are_ordered_and_nothing_follows_one_that_always_holds) {
  std::pair<State, Event> last{State::stopped, Event::session_start};
  bool settled = false;
  for (const LifecycleRule& rule : lifecycle_rules()) {
    const std::pair here{rule.state, rule.event};
    EXPECT_FALSE(here < last);
    EXPECT_FALSE(here == last && settled) << name(rule.state) << " has a rule that never counts";
    settled = rule.guard == Guard::always;
    last = here;
  }
}

// Documentation.

std::string cell(State state, Event event) {
  std::string text;
  for (const LifecycleRule& rule : lifecycle_rules()) {
    if (rule.state != state || rule.event != event) {
      continue;
    }
    const std::string guard = guard_names.at(static_cast<std::size_t>(rule.guard));
    const std::string action = action_names.at(static_cast<std::size_t>(rule.action));
    text += text.empty() ? "" : "; ";
    text += guard.empty() ? "" : guard + ": ";
    text += action;
    if (rule.next != rule.state) {
      text += (action.empty() ? "" : " ");
      text += "→ " + name(rule.next);
    } else if (action.empty()) {
      text += "stay";
    }
  }
  return text;
}

std::string table() {
  std::string text = "| event |";
  std::string line = "|---|";
  for (const State state : states) {
    text += " " + name(state) + " |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const Event event : events) {
    text += "| `" + std::string(event_names.at(static_cast<std::size_t>(event))) + "` |";
    for (const State state : states) {
      const std::string what = cell(state, event);
      text += what.empty() ? " |" : " " + what + " |";
    }
    text += "\n";
  }
  return text;
}

std::string document() {
  std::ifstream file(PI_MCP_SOURCE_DIR "/docs/lifecycle.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(LifecycleTable, docs_lifecycle_md_shows_the_rules_of_the_code) {
  EXPECT_THAT(document(), testing::HasSubstr("\n" + table() + "\n")) << table();
}

TEST(LifecycleTable, docs_lifecycle_md_draws_every_way_from_state_to_state) {
  std::set<std::string> drawn;
  std::istringstream lines(document());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string from;
    std::string arrow;
    std::string to;
    words >> from >> arrow >> to;
    if (arrow == "-->" && from != "[*]") {
      drawn.insert(from + " " + to.substr(0, to.find(':')));
    }
  }
  std::set<std::string> ways;
  for (const LifecycleRule& rule : lifecycle_rules()) {
    if (rule.next != rule.state) {
      ways.insert(name(rule.state) + " " + name(rule.next));
    }
  }
  EXPECT_EQ(drawn, ways);
}

// Modes.

config::Server server_of(LifecycleMode mode, std::optional<double> idle_timeout) {
  config::Server server;
  server.lifecycle = mode;
  server.idle_timeout_minutes = idle_timeout;
  return server;
}

std::optional<Milliseconds> idle_of(LifecycleMode mode,
                                    std::optional<double> own,
                                    double common = 10) {
  config::Settings settings;
  settings.idle_timeout_minutes = common;
  return lifecycle_policy(server_of(mode, own), settings).idle_max;
}

TEST(LifecyclePolicyTest, idle_time_of_the_server_then_of_the_settings) {
  EXPECT_EQ(idle_of(LifecycleMode::lazy, {}), minutes(10));
  EXPECT_EQ(idle_of(LifecycleMode::lazy, {}, 3), minutes(3));
  EXPECT_EQ(idle_of(LifecycleMode::lazy, 0.02, 3), Milliseconds(1200)) << "fractions count";
}

TEST(LifecyclePolicyTest, zero_and_less_is_never) {
  EXPECT_EQ(idle_of(LifecycleMode::lazy, 0), std::nullopt);
  EXPECT_EQ(idle_of(LifecycleMode::lazy, -1), std::nullopt);
  EXPECT_EQ(idle_of(LifecycleMode::lazy, {}, 0), std::nullopt);
  EXPECT_EQ(idle_of(LifecycleMode::lazy, 1e300), std::nullopt) << "more than the clock can hold";
}

TEST(LifecyclePolicyTest, eager_stops_by_its_own_idle_time_only_and_kept_modes_never) {
  EXPECT_EQ(idle_of(LifecycleMode::eager, {}), std::nullopt);
  EXPECT_EQ(idle_of(LifecycleMode::eager, 5), minutes(5));
  EXPECT_EQ(idle_of(LifecycleMode::keep_alive, 5), std::nullopt);
  EXPECT_EQ(idle_of(LifecycleMode::lazy_keep_alive, 5), std::nullopt);
}

TEST(LifecyclePolicyTest, eager_and_keep_alive_start_with_the_session) {
  EXPECT_FALSE(starts_with_session(LifecycleMode::lazy));
  EXPECT_TRUE(starts_with_session(LifecycleMode::eager));
  EXPECT_TRUE(starts_with_session(LifecycleMode::keep_alive));
  EXPECT_FALSE(starts_with_session(LifecycleMode::lazy_keep_alive));
}

TEST(LifecyclePolicyTest, of_two_leases_the_one_that_keeps_more_counts) {
  const LifecyclePolicy brief{.mode = LifecycleMode::lazy, .idle_max = minutes(1)};
  const LifecyclePolicy longer{.mode = LifecycleMode::eager, .idle_max = minutes(5)};
  const LifecyclePolicy later{.mode = LifecycleMode::lazy_keep_alive, .idle_max = {}};
  const LifecyclePolicy kept{.mode = LifecycleMode::keep_alive, .idle_max = {}};
  EXPECT_EQ(brief.merged_with(longer), longer);
  EXPECT_EQ(longer.merged_with(brief), longer);
  EXPECT_EQ(brief.merged_with(later), later);
  EXPECT_EQ(later.merged_with(kept), kept);
  EXPECT_EQ(kept.merged_with(later), kept);
}

// Idle time.

TEST(LifecycleTest, row_49_an_idle_server_is_stopped_at_its_deadline_and_not_before) {
  Machine machine;
  machine.all({Event::use, Event::started});
  EXPECT_EQ(machine.seconds_left(), 600);
  EXPECT_EQ(machine.on_after(seconds(599), Event::wake), Action::none);
  EXPECT_EQ(machine.on_after(seconds(1), Event::wake), Action::stop);
  EXPECT_EQ(machine.state(), State::stopped);
  EXPECT_EQ(machine.seconds_left(), -1);
  EXPECT_EQ(machine.on(Event::use), Action::start) << "the next use starts it again";
}

TEST(LifecycleTest, row_50_a_call_in_flight_keeps_the_server) {
  Machine machine;
  machine.all({Event::use, Event::started, Event::call_begin, Event::call_begin});
  EXPECT_EQ(machine.seconds_left(), -1);
  EXPECT_EQ(machine.on_after(minutes(60), Event::wake), Action::none);
  machine.on(Event::call_end);
  EXPECT_EQ(machine.seconds_left(), -1) << "one is still there";
  machine.on(Event::call_end);
  EXPECT_EQ(machine.seconds_left(), 600) << "from its end on";
}

TEST(LifecycleTest, every_use_starts_the_idle_time_anew) {
  Machine machine;
  machine.all({Event::use, Event::started});
  for (const Event event : {Event::use, Event::connect, Event::session_start}) {
    EXPECT_EQ(machine.on_after(seconds(500), event), Action::give);
    EXPECT_EQ(machine.seconds_left(), 600);
  }
}

TEST(LifecycleTest, a_kept_server_behind_a_url_is_asked_when_it_was_silent) {
  Machine kept(LifecycleMode::keep_alive, std::nullopt);
  Machine machine = behind_a_url(kept);
  machine.all({Event::session_start, Event::started});
  EXPECT_EQ(machine.seconds_left(), 30);
  EXPECT_EQ(machine.on_after(seconds(29), Event::wake), Action::none);
  EXPECT_EQ(machine.on_after(seconds(1), Event::wake), Action::check);
  EXPECT_EQ(machine.seconds_left(), 30) << "not again at once";
  machine.on_after(seconds(20), Event::call_begin);
  EXPECT_EQ(machine.seconds_left(), -1) << "a call shows it soon enough";
  machine.on(Event::call_end);
  EXPECT_EQ(machine.seconds_left(), 30);
  kept.all({Event::session_start, Event::started});
  EXPECT_EQ(kept.seconds_left(), -1) << "the end of a process is seen";
}

TEST(LifecycleTest, row_51_without_an_idle_time_there_is_no_deadline) {
  Machine machine(LifecycleMode::eager, std::nullopt);
  machine.all({Event::session_start, Event::started});
  EXPECT_EQ(machine.seconds_left(), -1);
  EXPECT_EQ(machine.on_after(minutes(600), Event::wake), Action::none);
}

TEST(LifecycleTest, when_the_last_lease_goes_it_stops_after_the_last_call) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::started, Event::call_begin});
  machine.lifecycle.set_policy({.mode = LifecycleMode::lazy, .idle_max = Milliseconds(0)});
  EXPECT_EQ(machine.on(Event::leases_changed), Action::none);
  EXPECT_EQ(machine.on(Event::call_end), Action::stop);

  Machine quiet(LifecycleMode::keep_alive, std::nullopt);
  quiet.all({Event::session_start, Event::started});
  quiet.lifecycle.set_policy({.mode = LifecycleMode::lazy, .idle_max = Milliseconds(0)});
  EXPECT_EQ(quiet.on(Event::leases_changed), Action::stop);
}

// Failures.

TEST(LifecycleTest, row_52_a_failure_refuses_use_for_a_minute_and_connect_never) {
  for (const LifecycleMode mode : {LifecycleMode::lazy, LifecycleMode::keep_alive}) {
    Machine machine(mode);
    machine.all({Event::use, Event::start_failed});
    EXPECT_EQ(machine.on_after(seconds(59), Event::use), Action::refuse);
    EXPECT_EQ(machine.on(Event::session_start), Action::refuse);
    EXPECT_EQ(machine.on(Event::connect), Action::start);
    machine.on(Event::start_failed);
    EXPECT_EQ(machine.on_after(seconds(60), Event::use), Action::start);
    machine.on(Event::started);
    EXPECT_FALSE(machine.lifecycle.failed_at());
  }
}

TEST(LifecycleTest, a_failure_that_cost_nothing_does_not_refuse_use) {
  Machine machine;
  machine.on(Event::use);
  machine.lifecycle.set_failure_cheap(true);
  machine.on(Event::start_failed);
  EXPECT_TRUE(machine.lifecycle.failed_at());
  EXPECT_FALSE(machine.lifecycle.refuses_use(machine.now));
  EXPECT_EQ(machine.on(Event::use), Action::start);
  machine.lifecycle.set_failure_cheap(false);
  machine.on(Event::start_failed);
  EXPECT_TRUE(machine.lifecycle.refuses_use(machine.now));
  EXPECT_EQ(machine.on(Event::use), Action::refuse);
}

TEST(LifecycleTest, a_cancelled_start_is_no_failure) {
  Machine machine;
  machine.on(Event::use);
  EXPECT_EQ(machine.on(Event::start_cancelled), Action::stop);
  EXPECT_EQ(machine.state(), State::stopped);
  EXPECT_EQ(machine.on(Event::use), Action::start);
}

TEST(LifecycleTest, one_start_is_shared_by_all_who_ask) {
  Machine machine;
  EXPECT_EQ(machine.on(Event::session_start), Action::start);
  EXPECT_EQ(machine.on(Event::use), Action::join);
  EXPECT_EQ(machine.on(Event::connect), Action::join);
}

TEST(LifecycleTest, lazy_and_eager_servers_wait_for_the_next_use_after_a_drop) {
  for (const LifecycleMode mode : {LifecycleMode::lazy, LifecycleMode::eager}) {
    Machine machine(mode);
    machine.all({Event::use, Event::started});
    EXPECT_EQ(machine.on(Event::link_ended), Action::none);
    EXPECT_EQ(machine.state(), State::stopped);
    EXPECT_EQ(machine.on(Event::use), Action::start);
    machine.on(Event::started);
    EXPECT_EQ(machine.lifecycle.restarts(), 1U);
  }
}

// Keeping alive.

TEST(LifecycleTest, row_48_a_server_that_is_kept_restarts_at_once_then_with_a_growing_delay) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::started});
  EXPECT_EQ(machine.on_after(minutes(10), Event::link_ended), Action::start) << "at once";
  for (const std::int64_t delay : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    EXPECT_EQ(machine.on(Event::start_failed), Action::none);
    EXPECT_EQ(machine.seconds_left(), delay);
    EXPECT_EQ(machine.on(Event::wake), Action::none) << "too early";
    EXPECT_EQ(machine.on_after(seconds(delay), Event::wake), Action::start);
  }
}

TEST(LifecycleTest, connections_that_do_not_last_count_as_tries) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::started});
  EXPECT_EQ(machine.on(Event::link_ended), Action::start);
  for (const std::int64_t delay : {1, 2, 4}) {
    machine.on(Event::started);
    EXPECT_EQ(machine.on_after(seconds(59), Event::link_ended), Action::none);
    EXPECT_EQ(machine.seconds_left(), delay);
    EXPECT_EQ(machine.on(Event::use), Action::start) << "a call does not wait for the delay";
  }
  machine.on(Event::started);
  EXPECT_EQ(machine.on_after(seconds(60), Event::link_ended), Action::start) << "it was stable";
  machine.on(Event::start_failed);
  EXPECT_EQ(machine.seconds_left(), 1);
}

TEST(LifecycleTest, chance_shortens_a_delay_by_up_to_a_quarter) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::started, Event::link_ended});
  machine.on(Event::start_failed, 0.5);
  EXPECT_EQ(machine.lifecycle.next_try() - machine.now, Milliseconds(875));
  machine.on(Event::connect);
  machine.on(Event::start_failed, 0.999999);
  EXPECT_GE(machine.lifecycle.next_try() - machine.now, Milliseconds(1500));
}

TEST(LifecycleTest, keep_alive_tries_again_after_a_first_start_that_failed) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::start_failed});
  EXPECT_EQ(machine.state(), State::waiting);
  EXPECT_EQ(machine.seconds_left(), 1);
}

TEST(LifecycleTest, lazy_keep_alive_is_kept_from_its_first_connection_on) {
  Machine machine(LifecycleMode::lazy_keep_alive, std::nullopt);
  machine.all({Event::use, Event::start_failed});
  EXPECT_EQ(machine.state(), State::failed);
  machine.all({Event::connect, Event::started});
  EXPECT_EQ(machine.on(Event::link_ended), Action::start);
}

TEST(LifecycleTest, a_kept_server_that_was_stopped_stays_stopped_until_it_is_needed) {
  for (const LifecycleMode mode : {LifecycleMode::keep_alive, LifecycleMode::lazy_keep_alive}) {
    Machine machine(mode, std::nullopt);
    machine.all({Event::use, Event::started});
    EXPECT_EQ(machine.on(Event::stop), Action::stop);
    EXPECT_EQ(machine.state(), State::stopped);
    EXPECT_EQ(machine.seconds_left(), -1);
    EXPECT_EQ(machine.on(Event::use), Action::start);
  }
}

TEST(LifecycleTest, a_server_that_nobody_keeps_any_more_is_not_tried_again) {
  Machine failed(LifecycleMode::keep_alive, std::nullopt);
  failed.all({Event::session_start, Event::start_failed});
  failed.lifecycle.set_policy({});
  failed.on(Event::leases_changed);
  EXPECT_EQ(failed.state(), State::failed);
  EXPECT_EQ(failed.seconds_left(), -1);

  Machine dropped(LifecycleMode::keep_alive, std::nullopt);
  dropped.all({Event::session_start, Event::started, Event::link_ended, Event::started});
  dropped.on(Event::link_ended);
  EXPECT_EQ(dropped.state(), State::waiting);
  dropped.lifecycle.set_policy({});
  dropped.on(Event::leases_changed);
  EXPECT_EQ(dropped.state(), State::stopped);
}

TEST(LifecycleTest, an_aborted_connect_leaves_a_kept_server_to_its_next_try) {
  Machine machine(LifecycleMode::keep_alive, std::nullopt);
  machine.all({Event::session_start, Event::start_failed, Event::connect});
  EXPECT_EQ(machine.on(Event::start_cancelled), Action::stop);
  EXPECT_EQ(machine.state(), State::waiting);
  EXPECT_EQ(machine.seconds_left(), 2);
}

TEST(LifecycleTest, closed_is_for_good) {
  for (const Situation& situation : situations()) {
    Machine machine = situation.machine;
    machine.on(Event::close);
    machine.on(Event::call_begin);
    for (const Event event : events) {
      const Action action = machine.on(event);
      EXPECT_TRUE(action == Action::refuse || action == Action::none);
      EXPECT_EQ(machine.state(), State::closed);
      EXPECT_EQ(machine.seconds_left(), -1);
    }
  }
}

}  // namespace
}  // namespace pi_mcp::servers
