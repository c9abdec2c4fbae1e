// How long the pool keeps its servers. The delays are short; nothing here waits for them without a
// bound, and nothing depends on their exact length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/loop.h"
#include "servers/pool.h"
#include "support/pool_fixture.h"

namespace pi_mcp::servers {
namespace {

using config::LifecycleMode;
using test::launch_of;
using test::ScriptedLink;
using testing::ElementsAre;
using testing::HasSubstr;
using Fixture = test::PoolFixture;

constexpr bool done = true;

void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

Lease lease_of(LifecycleMode mode, std::optional<Milliseconds> idle_max = {}) {
  Lease lease;
  lease.policy = {.mode = mode, .idle_max = idle_max};
  return lease;
}

LifecycleLimits quick() {
  return {.failure_backoff = Milliseconds(60'000),
          .restart_delay_first = Milliseconds(4),
          .restart_delay_max = Milliseconds(8),
          .stable_after = Milliseconds(60'000)};
}

// Lines of the log while it lives.
class Logged {
 public:
  Logged() {
    log::set_level(log::Level::info);
    log::set_sink([this](log::Level, std::string_view text) { lines.emplace_back(text); });
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  ~Logged() {
    log::set_sink(nullptr);
    log::set_level(log::Level::warning);
  }

  std::vector<std::string> lines;
};

io::Task<bool> idle_server(io::Executor executor) {
  const Logged logged;
  Fixture fixture(executor);
  const std::string key = launch_of("s").key();
  fixture.pool->lease(key, &fixture, lease_of(LifecycleMode::lazy, Milliseconds(1)));
  for (int starts = 1; starts <= 2; ++starts) {
    EXPECT_EQ(co_await fixture.acquire("s"), "open");
    EXPECT_EQ(fixture.starts["s"], starts);
    co_await fixture.until(
        [&fixture] { return fixture.status("s").state == LifecycleState::stopped; });
  }
  EXPECT_THAT(
      logged.lines,
      ElementsAre("servers: s stopped after 1 ms idle", "servers: s stopped after 1 ms idle"));
  EXPECT_EQ(fixture.status("s").reason, "") << "we stopped it";
  EXPECT_EQ(fixture.status("s").restarts, 1U);
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, row_49_an_idle_server_is_stopped_and_the_next_use_starts_it_again) {
  run(idle_server);
}

io::Task<void> call_into(std::shared_ptr<Connection> connection, std::string* into) {
  const Result<rpc::Message> answer = co_await connection->call("tools/call", {}, {});
  *into = answer ? "answered" : answer.error().message();
}

io::Task<bool> busy_server(io::Executor executor) {
  Fixture fixture(executor);
  std::string asked;  // id of the call
  fixture.scripts["s"] = test::well_behaved([&asked](ScriptedLink&, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      asked = message.id().json();
    }
  });
  fixture.pool->lease(
      launch_of("s").key(), &fixture, lease_of(LifecycleMode::lazy, Milliseconds(1)));
  fixture.pool->lease(
      launch_of("other").key(), &asked, lease_of(LifecycleMode::lazy, Milliseconds(5)));
  const auto connection = co_await fixture.pool->acquire(launch_of("s"), Use::implicit);
  std::string answer;
  fixture.tasks.spawn("call", call_into(*connection, &answer), io::log_only);
  co_await fixture.until([&asked] { return !asked.empty(); });
  EXPECT_EQ(fixture.status("s").calls_in_flight, 1U);
  // Another server with a longer idle time has come and gone meanwhile.
  EXPECT_EQ(co_await fixture.acquire("other"), "open");
  co_await fixture.until(
      [&fixture] { return fixture.status("other").state == LifecycleState::stopped; });
  EXPECT_EQ(fixture.status("s").state, LifecycleState::ready);
  fixture.links["s"]->deliver(R"({"jsonrpc":"2.0","result":{},"id":)" + asked + "}");
  co_await fixture.until([&answer] { return !answer.empty(); });
  EXPECT_EQ(answer, "answered");
  co_await fixture.until(
      [&fixture] { return fixture.status("s").state == LifecycleState::stopped; });
  co_await fixture.tasks.join();
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, row_50_a_call_in_flight_keeps_its_server) {
  run(busy_server);
}

io::Task<bool> kept_server(io::Executor executor) {
  const Logged logged;
  Fixture fixture(executor, {.limits = quick()});
  std::vector<std::shared_ptr<Connection>> told;
  Lease lease = lease_of(LifecycleMode::keep_alive);
  lease.started = [&told](const std::shared_ptr<Connection>& connection) {
    told.push_back(connection);
  };
  fixture.pool->lease(launch_of("s").key(), &fixture, lease);
  EXPECT_EQ(co_await fixture.acquire("s", Use::background), "open");
  fixture.links["s"]->end_with("killed by SIGKILL");
  co_await fixture.until([&told] { return told.size() == 2; });
  EXPECT_TRUE(logged.lines.empty()) << "at once, without a delay to speak of";
  EXPECT_EQ(fixture.status("s").state, LifecycleState::ready);
  EXPECT_EQ(fixture.status("s").restarts, 1U);

  // Then it cannot be started for a while.
  fixture.scripts["s"] = [](ScriptedLink& link, const rpc::Message&) {
    link.end_with("exited with status 1");
  };
  fixture.links["s"]->end_with("killed by SIGKILL");
  co_await fixture.until([&fixture] { return fixture.starts["s"] >= 5; });
  EXPECT_THAT(fixture.status("s").reason, HasSubstr("exited with status 1"));
  EXPECT_THAT(logged.lines.front(), HasSubstr("servers: s: killed by SIGKILL; next try in "));
  EXPECT_THAT(logged.lines.back(), HasSubstr("exited with status 1 during initialize"));
  EXPECT_TRUE(fixture.status("s").failed_at);
  EXPECT_TRUE(fixture.status("s").state == LifecycleState::starting ||
              fixture.status("s").next_try);

  fixture.scripts["s"] = test::well_behaved();
  co_await fixture.until([&told] { return told.size() == 3; });
  EXPECT_EQ(fixture.status("s").reason, "");
  co_await fixture.pool->close();
  EXPECT_EQ(fixture.status("s").state, LifecycleState::closed);
  co_return done;
}

TEST(PoolLifecycle, row_48_a_server_that_is_kept_alive_comes_back_by_itself) {
  run(kept_server);
}

Launch remote_launch() {
  Launch launch;
  launch.server = "far";
  launch.remote.emplace().url = "http://localhost/mcp";
  launch.protocol = mcp::Protocol::handshake;  // its first message is initialize
  return launch;
}

io::Task<bool> silent_server(io::Executor executor) {
  Pool::Options options{.check_max = Milliseconds(5), .limits = quick()};
  options.limits.check_every = Milliseconds(5);
  Fixture fixture(executor, options);
  int pings = 0;
  bool answers = true;
  fixture.scripts["far"] = test::well_behaved([&](ScriptedLink& link, const rpc::Message& message) {
    ++pings;
    if (answers) {  // with a refusal, which is an answer
      link.deliver(R"({"jsonrpc":"2.0","id":)" + message.id().json() +
                   R"(,"error":{"code":-32601,"message":"no ping"}})");
    }
  });
  const std::string key = remote_launch().key();
  fixture.pool->lease(key, &fixture, lease_of(LifecycleMode::keep_alive));
  EXPECT_TRUE((co_await fixture.pool->acquire(remote_launch(), Use::background)).has_value());
  co_await fixture.until([&pings] { return pings >= 3; });
  EXPECT_EQ(fixture.starts["far"], 1) << "any answer will do";
  answers = false;
  pings = 0;
  co_await fixture.until([&fixture] { return fixture.starts["far"] >= 2; });
  EXPECT_EQ(pings, 2) << "it may have been busy";
  answers = true;
  co_await fixture.until([&] { return fixture.pool->status(key).state == LifecycleState::ready; });
  EXPECT_EQ(fixture.pool->status(key).restarts, 1U);
  fixture.links["far"]->broken = "connection refused";
  co_await fixture.until([&fixture] { return fixture.starts["far"] >= 3; });
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, a_kept_server_behind_a_url_that_does_not_answer_is_started_again) {
  run(silent_server);
}

io::Task<bool> two_sessions(io::Executor executor) {
  Fixture fixture(executor);
  const std::string key = launch_of("s").key();
  const int lazy = 0;
  const int kept = 0;
  fixture.pool->lease(key, &lazy, lease_of(LifecycleMode::lazy, Milliseconds(1)));
  fixture.pool->lease(key, &kept, lease_of(LifecycleMode::keep_alive));
  fixture.pool->lease(
      launch_of("other").key(), &lazy, lease_of(LifecycleMode::lazy, Milliseconds(5)));
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  EXPECT_EQ(co_await fixture.acquire("other"), "open");
  co_await fixture.until(
      [&fixture] { return fixture.status("other").state == LifecycleState::stopped; });
  EXPECT_EQ(fixture.status("s").state, LifecycleState::ready) << "one session wants it kept";
  fixture.pool->release(&kept);
  co_await fixture.until(
      [&fixture] { return fixture.status("s").state == LifecycleState::stopped; });
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  fixture.pool->release(&lazy);
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped) << "nobody is left";
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, a_shared_server_is_kept_as_long_as_any_session_wants_it) {
  run(two_sessions);
}

io::Task<bool> last_lease(io::Executor executor) {
  Fixture fixture(executor, {.limits = quick()});
  const std::string key = launch_of("s").key();
  fixture.pool->lease(key, &fixture, lease_of(LifecycleMode::keep_alive));
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  fixture.scripts["s"] = [](ScriptedLink&, const rpc::Message&) {
  };
  fixture.links["s"]->end_with("killed by SIGKILL");
  co_await fixture.until([&fixture] { return fixture.starts["s"] == 2; });
  EXPECT_EQ(fixture.status("s").state, LifecycleState::starting);
  fixture.pool->release(&fixture);
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped);
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, a_restart_ends_with_the_last_lease) {
  run(last_lease);
}

io::Task<bool> stopped_server(io::Executor executor) {
  Fixture fixture(executor, {.limits = quick()});
  const std::string key = launch_of("s").key();
  fixture.pool->lease(key, &fixture, lease_of(LifecycleMode::keep_alive));
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  co_await fixture.pool->stop(key);
  EXPECT_EQ(fixture.status("s").state, LifecycleState::stopped);
  EXPECT_EQ(fixture.starts["s"], 1) << "not against the will of a person";
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, a_kept_server_that_was_stopped_starts_with_its_next_use) {
  run(stopped_server);
}

// `answer` is told of the end of a call that is under way. Both outlive the fixture's tasks.
io::Task<std::shared_ptr<Connection>> with_call(Fixture* fixture, std::string* answer) {
  fixture->pool->lease(launch_of("s").key(), fixture, lease_of(LifecycleMode::lazy));
  const auto connection = co_await fixture->pool->acquire(launch_of("s"), Use::implicit);
  fixture->tasks.spawn("call", call_into(*connection, answer), io::log_only);
  co_await fixture->until([fixture] { return fixture->status("s").calls_in_flight == 1; });
  co_return *connection;
}

io::Task<bool> calls_of_the_past(io::Executor executor) {
  Fixture fixture(executor);
  std::string answer;
  const auto connection = co_await with_call(&fixture, &answer);
  co_await fixture.pool->stop(launch_of("s").key());
  EXPECT_FALSE(connection->is_open());
  co_await fixture.tasks.join();
  EXPECT_THAT(answer, HasSubstr("closed before it answered tools/call"));
  EXPECT_EQ(fixture.status("s").calls_in_flight, 0U);
  answer.clear();
  fixture.tasks.spawn("call", call_into(connection, &answer), io::log_only);
  co_await fixture.tasks.join();
  EXPECT_EQ(fixture.status("s").calls_in_flight, 0U);
  co_await fixture.pool->close();
  fixture.pool.reset();
  co_await call_into(connection, &answer);
  co_return done;
}

io::Task<bool> calls_that_the_user_ends(io::Executor executor) {
  Fixture fixture(executor);
  std::string answer;
  const auto connection = co_await with_call(&fixture, &answer);
  co_await fixture.pool->stop_named("s");
  co_await fixture.tasks.join();
  EXPECT_THAT(answer,
              HasSubstr("stopped with pi-mcp stop before it answered tools/call; whether the tool "
                        "has run is not known"));
  co_await fixture.pool->close();
  co_return done;
}

TEST(PoolLifecycle, a_call_that_the_user_ends_says_how_and_that_it_may_have_run) {
  run(calls_that_the_user_ends);
}

TEST(PoolLifecycle, calls_are_counted_to_their_end_whatever_becomes_of_connection_and_pool) {
  run(calls_of_the_past);
}

}  // namespace
}  // namespace pi_mcp::servers
