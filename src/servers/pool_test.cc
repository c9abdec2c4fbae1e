#include "servers/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "support/pool_fixture.h"

namespace pi_mcp::servers {
namespace {

using test::launch_of;
using Fixture = test::PoolFixture;
using test::ScriptedLink;
using testing::HasSubstr;

constexpr bool done = true;

void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

void exits_at_once(ScriptedLink& link, const rpc::Message& message) {
  (void)message;
  link.end_with("exited with status 1", "Error: no token\n");
}

io::Task<bool> one_start_for_many(io::Executor executor) {
  Fixture fixture(executor);
  std::array<std::string, 5> results;
  for (std::string& result : results) {
    fixture.tasks.spawn("acquire", fixture.acquire_into("s", Use::implicit, &result), io::log_only);
  }
  co_await fixture.tasks.join();
  for (const std::string& result : results) {
    EXPECT_EQ(result, "open");
  }
  EXPECT_EQ(fixture.starts["s"], 1);
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  EXPECT_EQ(fixture.starts["s"], 1);
  EXPECT_EQ(fixture.status("s").state, LifecycleState::ready);
  EXPECT_EQ(fixture.pool->status("unknown").state, LifecycleState::stopped);
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, five_calls_at_once_start_one_server) {
  run(one_start_for_many);
}

io::Task<bool> failure_memory(io::Executor executor) {
  Fixture fixture(executor);
  fixture.scripts["s"] = exits_at_once;
  EXPECT_EQ(co_await fixture.acquire("s"),
            "s: exited with status 1 during initialize; stderr: Error: no token");
  const PoolStatus status = fixture.status("s");
  EXPECT_EQ(status.state, LifecycleState::failed);
  EXPECT_EQ(status.reason, "exited with status 1 during initialize; stderr: Error: no token");
  EXPECT_TRUE(status.failed_at.has_value());
  EXPECT_EQ(fixture.pool->stderr_tail(launch_of("s").key()), "Error: no token\n");

  EXPECT_EQ(
      co_await fixture.acquire("s"),
      "s: not available (last failed 0s ago): exited with status 1 during initialize; stderr: "
      "Error: no token");
  EXPECT_THAT(co_await fixture.acquire("s", Use::background), HasSubstr("not available"));
  EXPECT_EQ(fixture.starts["s"], 1);
  EXPECT_THAT(co_await fixture.acquire("s", Use::on_demand), HasSubstr("exited with status 1"));
  EXPECT_EQ(fixture.starts["s"], 2);

  fixture.scripts["s"] = test::well_behaved();
  EXPECT_EQ(co_await fixture.acquire("s", Use::on_demand), "open");
  EXPECT_FALSE(fixture.status("s").failed_at.has_value()) << "a success clears it";
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, after_a_failure_only_a_person_can_ask_again) {
  run(failure_memory);
}

io::Task<bool> login_memory(io::Executor executor) {
  Fixture fixture(executor);
  for (int i = 0; i < 2; ++i) {
    const auto refused = co_await fixture.pool->acquire(launch_of("locked"), Use::implicit);
    EXPECT_EQ(refused.error().code(), ErrorCode::unauthorized) << i;
    EXPECT_THAT(refused.error().message(), HasSubstr(": nobody is logged in")) << i;
    EXPECT_THAT(refused.error().message(), testing::Not(HasSubstr("not available"))) << i;
    EXPECT_EQ(refused.error().remedy()->kind, Remedy::Kind::log_in) << i;
  }
  EXPECT_EQ(fixture.starts["locked"], 1);
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, a_missing_login_is_said_again_as_it_was_said_first) {
  run(login_memory);
}

io::Task<bool> backoff_ends(io::Executor executor) {
  Fixture fixture(executor, {.limits = {.failure_backoff = Milliseconds(0)}});
  fixture.scripts["s"] = exits_at_once;
  EXPECT_THAT(co_await fixture.acquire("s"), HasSubstr("exited"));
  EXPECT_EQ(co_await fixture.acquire("missing"), "missing: starting: no such program: missing");
  fixture.scripts["s"] = test::well_behaved();
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, when_the_backoff_is_over_calls_start_the_server_again) {
  run(backoff_ends);
}

io::Task<bool> hung_neighbours(io::Executor executor) {
  Fixture fixture(executor, {.starts = {.total = 3, .background = 2}});
  std::array<std::string, 4> results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string name = "hung" + std::to_string(i);
    fixture.scripts[name] = [](ScriptedLink&, const rpc::Message&) {
    };
    fixture.tasks.spawn(
        "acquire", fixture.acquire_into(name, Use::background, &results.at(i)), io::log_only);
  }
  co_await fixture.until([&fixture] { return fixture.links.size() == 2; });
  EXPECT_EQ(fixture.status("hung3").state, LifecycleState::starting);
  EXPECT_EQ(co_await fixture.acquire("s"), "open") << "a call finds a slot free";
  EXPECT_EQ(fixture.starts.size(), 3U) << "background starts wait their turn";

  // A background start that a call begins to wait for goes ahead too.
  std::string urgent;
  fixture.scripts["hung3"] = test::well_behaved();
  fixture.tasks.spawn(
      "acquire", fixture.acquire_into("hung3", Use::implicit, &urgent), io::log_only);
  co_await fixture.until([&urgent] { return !urgent.empty(); });
  EXPECT_EQ(urgent, "open");
  EXPECT_EQ(fixture.starts.contains("hung2"), false);

  fixture.links["hung0"]->end_with("exited with status 0");
  co_await fixture.until([&fixture] { return fixture.starts.contains("hung2"); });
  co_await fixture.pool->close();
  co_await fixture.tasks.join();
  EXPECT_EQ(results[1], "hung1: the start was stopped");
  co_return done;
}

TEST(Pool, background_starts_wait_their_turn_and_calls_go_ahead) {
  run(hung_neighbours);
}

io::Task<bool> called_at_once(io::Executor executor) {
  Fixture fixture(executor, {.starts = {.total = 2}});
  std::array<std::string, 3> results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string name = "slow" + std::to_string(i);
    fixture.scripts[name] = [](ScriptedLink&, const rpc::Message&) {
    };
    fixture.tasks.spawn(
        "acquire", fixture.acquire_into(name, Use::implicit, &results.at(i)), io::log_only);
  }
  co_await fixture.until([&fixture] { return fixture.links.size() == 2; });
  EXPECT_FALSE(fixture.starts.contains("slow2")) << "calls have slots too";
  fixture.links["slow1"]->end_with("exited with status 0");
  co_await fixture.until([&fixture] { return fixture.starts.contains("slow2"); });
  co_await fixture.pool->close();
  co_await fixture.tasks.join();
  co_return done;
}

TEST(Pool, starts_that_calls_wait_for_have_a_limit_too) {
  run(called_at_once);
}

io::Task<bool> cancelled_waiters(io::Executor executor) {
  Fixture fixture(executor);
  fixture.scripts["s"] = [](ScriptedLink&, const rpc::Message&) {
  };
  std::array<std::string, 2> results;
  std::array<io::TaskGroup::TaskId, 2> ids{};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids.at(i) = fixture.tasks.spawn(
        "acquire", fixture.acquire_into("s", Use::implicit, &results.at(i)), io::log_only);
  }
  co_await fixture.until([&fixture] { return fixture.links.contains("s"); });
  fixture.tasks.cancel(ids[0]);
  co_await fixture.until([&results] { return !results[0].empty(); });
  EXPECT_EQ(results[0], "cancelled");
  EXPECT_EQ(fixture.status("s").state, LifecycleState::starting) << "the other one still waits";
  fixture.tasks.cancel(ids[1]);
  co_await fixture.tasks.join();
  EXPECT_EQ(results[1], "cancelled");
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped) << "an abort is not a failure";

  fixture.scripts["s"] = test::well_behaved();
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, a_start_ends_when_the_last_one_who_waits_is_cancelled) {
  run(cancelled_waiters);
}

io::Task<bool> death(io::Executor executor) {
  Fixture fixture(executor);
  std::vector<std::string> ends;
  Lease lease;
  lease.events.ended = [&ends, &fixture](const transport::LinkEnd& end) {
    ends.push_back(end.reason);
    fixture.changed.notify_all();
  };
  const int owner = 0;
  fixture.pool->lease(launch_of("s").key(), &owner, lease);
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  fixture.links["s"]->end_with("killed by SIGKILL", "bye\n");
  co_await fixture.until([&ends] { return !ends.empty(); });
  EXPECT_EQ(ends, std::vector<std::string>{"killed by SIGKILL"});
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped);
  EXPECT_EQ(fixture.pool->stderr_tail(launch_of("s").key()), "bye\n");

  EXPECT_EQ(co_await fixture.acquire("s"), "open") << "the next use starts it again";
  EXPECT_EQ(fixture.starts["s"], 2);
  co_await fixture.pool->stop(launch_of("s").key());
  EXPECT_EQ(ends.size(), 2U);
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped);
  fixture.pool->release(&owner);
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  co_await fixture.pool->close();
  EXPECT_EQ(ends.size(), 2U) << "nobody listens any more";
  co_return done;
}

TEST(Pool, a_death_is_seen_at_once_and_the_next_use_restarts) {
  run(death);
}

// Two sessions have it, one of them left it for the next command.
io::Task<bool> stopping_what_rests(io::Executor executor) {
  Fixture fixture(executor);
  int command = 0;
  int host = 0;
  for (const char* name : {"a", "b"}) {
    Lease lease;
    lease.linger = Milliseconds(60'000);
    fixture.pool->lease(launch_of(name).key(), &command, std::move(lease));
    EXPECT_EQ(co_await fixture.acquire(name), "open");
  }
  fixture.pool->lease(launch_of("b").key(), &host, Lease());
  fixture.pool->rest(&command);
  EXPECT_EQ(co_await fixture.pool->stop_resting("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(fixture.status("a").state, LifecycleState::stopped) << "nothing lingers";
  EXPECT_EQ(co_await fixture.pool->stop_resting("b"), std::vector<std::string>());
  EXPECT_EQ(fixture.status("b").state, LifecycleState::ready);
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, what_rests_is_stopped_and_what_a_session_uses_is_not) {
  run(stopping_what_rests);
}

io::Task<bool> stopping_by_name(io::Executor executor) {
  Fixture fixture(executor);
  EXPECT_EQ(co_await fixture.acquire("a"), "open");
  EXPECT_EQ(co_await fixture.acquire("b"), "open");
  EXPECT_TRUE(fixture.pool->has_servers());
  EXPECT_EQ(co_await fixture.pool->stop_named("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(fixture.status("a").state, LifecycleState::stopped);
  EXPECT_EQ(fixture.status("b").state, LifecycleState::ready);
  EXPECT_EQ(co_await fixture.pool->stop_named("a"), std::vector<std::string>());
  EXPECT_EQ(co_await fixture.pool->stop_named(""), std::vector<std::string>{"b"});
  EXPECT_FALSE(fixture.pool->has_servers());
  EXPECT_EQ(co_await fixture.acquire("a"), "open") << "started again when it is needed";
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, servers_are_stopped_by_name) {
  run(stopping_by_name);
}

// The session that goes on using it keeps it to its own end, not to that of a command before.
io::Task<bool> stopping_what_was_left(io::Executor executor) {
  Fixture fixture(executor);
  int command = 0;
  int host = 0;
  fixture.pool->lease(launch_of("a").key(), &command, Lease());
  fixture.pool->lease(launch_of("a").key(), &host, Lease());
  EXPECT_EQ(co_await fixture.acquire("a"), "open");
  fixture.pool->rest(&command);
  EXPECT_EQ(co_await fixture.pool->stop_named(""), std::vector<std::string>{"a"});
  EXPECT_EQ(co_await fixture.acquire("a"), "open");
  fixture.pool->release(&host);
  EXPECT_EQ(fixture.status("a").state, LifecycleState::stopped);
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, what_commands_have_left_of_a_stopped_server_is_gone) {
  run(stopping_what_was_left);
}

io::Task<void> stop_into(Fixture* fixture, bool* is_done) {
  co_await fixture->pool->stop_named("a");
  *is_done = true;
  fixture->changed.notify_all();
}

// Somebody goes on calling: what ran ends, and what was started in its place goes on.
io::Task<bool> stopping_what_is_used(io::Executor executor) {
  Fixture fixture(executor);
  EXPECT_EQ(co_await fixture.acquire("a"), "open");
  bool is_done = false;
  fixture.tasks.spawn("stop", stop_into(&fixture, &is_done), io::log_only);
  std::string next;  // before what is stopped has ended
  fixture.tasks.spawn("acquire", fixture.acquire_into("a", Use::implicit, &next), io::log_only);
  co_await fixture.until([&] { return is_done && !next.empty(); });
  EXPECT_EQ(next, "open");
  EXPECT_EQ(fixture.starts["a"], 2);
  EXPECT_EQ(fixture.status("a").state, LifecycleState::ready);
  co_await fixture.pool->close();
  co_return done;
}

TEST(Pool, stopping_is_over_when_what_ran_has_ended_though_the_next_use_started_it_again) {
  run(stopping_what_is_used);
}

io::Task<bool> closing(io::Executor executor) {
  Fixture fixture(executor);
  EXPECT_EQ(co_await fixture.acquire("a"), "open");
  EXPECT_EQ(co_await fixture.acquire("b"), "open");
  fixture.scripts["c"] = [](ScriptedLink&, const rpc::Message&) {
  };
  std::string result;
  fixture.tasks.spawn("acquire", fixture.acquire_into("c", Use::implicit, &result), io::log_only);
  co_await fixture.until([&fixture] { return fixture.links.contains("c"); });
  co_await fixture.pool->close();
  co_await fixture.tasks.join();
  EXPECT_EQ(result, "c: the start was stopped");
  EXPECT_EQ(co_await fixture.acquire("a", Use::on_demand), "a: pi-mcp is shutting down");
  co_await fixture.pool->stop("unknown");
  co_return done;
}

TEST(Pool, close_ends_everything_and_refuses_new_starts) {
  run(closing);
}

TEST(LaunchKey, depends_on_what_is_started_and_on_nothing_else) {
  const std::string key = launch_of("s").key();
  EXPECT_EQ(key.size(), 64U);
  Launch same = launch_of("s");
  same.server = "another name";
  same.debug = true;
  same.deadlines.start = Milliseconds(1);
  EXPECT_EQ(same.key(), key);
  Launch args = launch_of("s");
  args.args = {"a", "b"};
  Launch joined = launch_of("s");
  joined.args = {"a b"};
  Launch env = launch_of("s");
  env.env["a"] = "b";
  Launch cwd = launch_of("s");
  cwd.cwd = "/tmp";
  Launch made_again = cwd;
  made_again.cwd_identity = "1:2";
  const std::set<std::string> keys = {
      key, args.key(), joined.key(), env.key(), cwd.key(), made_again.key()};
  EXPECT_EQ(keys.size(), 6U);
}

}  // namespace
}  // namespace pi_mcp::servers
