// A LiveConnection whose tasks end by an exception, and one whose server floods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "servers/link/live_connection.h"
#include "support/pool_fixture.h"
#include "support/scripted_host.h"
#include "support/scripted_link.h"

namespace pi_mcp::servers {
namespace {

using test::ScriptedLink;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr bool done = true;

void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

std::string json_of(const Result<rpc::Message>& answer) {
  return answer ? std::string(answer->root().raw()) : answer.error().message();
}

io::Task<void> call_into(std::shared_ptr<Connection> connection,
                         std::string method,
                         CallOptions options,
                         std::string* into) {
  *into = json_of(co_await connection->call(
      std::move(method), SharedText(std::string("{}")), std::move(options)));
}

// Never answers "silent".
void silent(ScriptedLink& link, const rpc::Message& message) {
  if (message.method() != "silent") {
    test::well_behaved()(link, message);
  }
}

io::Task<bool> broken_reading(io::Executor executor) {
  test::PoolFixture fixture(executor);
  fixture.scripts["s"] = silent;
  const auto connection = co_await fixture.pool->acquire(test::launch_of("s"), test::Use::implicit);
  std::string answer;
  fixture.tasks.spawn("call", call_into(*connection, "silent", {}, &answer), io::log_only);
  co_await fixture.until([&] { return fixture.links["s"]->count_sent("silent") == 1; });
  fixture.links["s"]->break_reading();
  co_await fixture.tasks.join();
  EXPECT_THAT(answer, HasSubstr("an error inside pi-mcp ended it (std::bad_alloc)"));
  EXPECT_FALSE((*connection)->is_open());
  EXPECT_THAT(fixture.status("s").reason, HasSubstr("std::bad_alloc"));
  EXPECT_EQ(co_await fixture.acquire("s"), "open");
  EXPECT_EQ(fixture.starts["s"], 2);
  co_await fixture.pool->close();
  co_return done;
}

TEST(ConnectionFaults, an_exception_while_reading_ends_the_connection_and_the_next_use_renews_it) {
  run(broken_reading);
}

io::Task<void> refresh_into(std::shared_ptr<Connection> connection, std::string* into) {
  const Result<void> read = co_await connection->refresh();
  *into = read ? "fresh" : read.error().message();
}

io::Task<bool> broken_refresh(io::Executor executor) {
  test::PoolFixture fixture(executor);
  bool answers = true;
  fixture.scripts["s"] = [&answers](ScriptedLink& link, const rpc::Message& message) {
    if (answers) {
      test::well_behaved()(link, message);
    }
  };
  const auto connection = co_await fixture.pool->acquire(test::launch_of("s"), test::Use::implicit);
  answers = false;
  std::string outcome;
  fixture.tasks.spawn("refresh", refresh_into(*connection, &outcome), io::log_only);
  co_await fixture.until([&] { return fixture.links["s"]->count_sent("tools/list") == 2; });
  fixture.links["s"]->break_reading();
  co_await fixture.tasks.join();
  EXPECT_THAT(outcome, HasSubstr("std::bad_alloc"));
  co_await fixture.pool->close();
  co_return done;
}

TEST(ConnectionFaults, who_waits_for_its_lists_hears_of_the_exception) {
  run(broken_refresh);
}

io::Task<bool> broken_start(io::Executor executor) {
  test::PoolFixture fixture(executor);
  fixture.scripts["s"] = [](ScriptedLink& link, const rpc::Message& /*message*/) {
    link.break_reading();
  };
  EXPECT_THAT(co_await fixture.acquire("s"), HasSubstr("std::bad_alloc"));
  fixture.scripts["s"] = test::well_behaved();
  EXPECT_EQ(co_await fixture.acquire("s", test::Use::on_demand), "open");
  co_await fixture.pool->close();
  co_return done;
}

TEST(ConnectionFaults, an_exception_during_the_start_is_the_failure_of_that_start) {
  run(broken_start);
}

// A connection that is open, and what its server was answered.
struct Flooded {
  Flooded(const io::Executor& executor, ScriptedLink::Script rest)
      : host(std::make_shared<test::ScriptedHost>()) {
    auto owned = std::make_unique<ScriptedLink>(executor, test::well_behaved(std::move(rest)));
    link = owned.get();
    LiveConnection::Options options{.link = {.server = "s",
                                             .features = host->features(),
                                             .roots_host = [this] { return host; },
                                             .list_changed_pause = Milliseconds(1)}};
    connection = std::make_shared<LiveConnection>(
        executor, std::move(owned), std::move(options), ConnectionEvents{});
  }
  [[nodiscard]] std::string answers() const {
    std::string all;
    for (const std::string& line : link->sent) {
      all += line.find("\"method\"") == std::string::npos ? line + "\n" : "";
    }
    return all;
  }

  std::shared_ptr<test::ScriptedHost> host;
  ScriptedLink* link;
  std::shared_ptr<LiveConnection> connection;
};

std::string request(const std::string& id, const std::string& method) {
  return R"({"jsonrpc":"2.0","id":")" + id + R"(","method":")" + method + R"(","params":{}})";
}

template <class Predicate>
io::Task<void> until(Predicate predicate) {
  io::Condition never(co_await boost::asio::this_coro::executor);
  const TimePoint deadline = io::now() + std::chrono::seconds(20);
  while (!predicate() && io::now() < deadline) {
    (void)co_await never.wait_until(io::now() + Milliseconds(2));
  }
  EXPECT_TRUE(predicate());
}

// An answer to it says that everything before it was taken.
io::Task<void> settle(std::shared_ptr<LiveConnection> connection) {
  EXPECT_TRUE(co_await connection->call("settle", SharedText(std::string("{}")), {}));
}

void settles(ScriptedLink& link, const rpc::Message& message) {
  link.answer(message, "{}");
}

io::Task<bool> out_of_nowhere(io::Executor executor) {
  Flooded flooded(executor, settles);
  flooded.host->result = R"({"roots":[]})";
  EXPECT_TRUE(co_await flooded.connection->open(io::now() + std::chrono::seconds(10)));
  flooded.link->deliver(request("e", "elicitation/create"));
  flooded.link->deliver(request("s", "sampling/createMessage"));
  flooded.link->deliver(request("p", "ping"));
  flooded.link->deliver(request("r", "roots/list"));
  co_await until([&] { return flooded.answers().find("roots") != std::string::npos; });
  EXPECT_THAT(flooded.host->asked, ElementsAre(HasSubstr("roots/list")));
  EXPECT_THAT(
      flooded.answers(),
      AllOf(HasSubstr("elicitation/create is passed on to a host during one of its calls only"),
            HasSubstr("sampling/createMessage is passed on to a host during one of its calls only"),
            HasSubstr(R"("id":"p","result":{})"),
            HasSubstr(R"("id":"r","result":{"roots":[]})")));
  co_await flooded.connection->close();
  co_return done;
}

TEST(ConnectionFaults, questions_outside_of_any_call_are_refused_and_roots_and_ping_answered) {
  run(out_of_nowhere);
}

io::Task<bool> too_many(io::Executor executor) {
  Flooded flooded(executor, settles);
  flooded.host->result = R"({"roots":[]})";
  EXPECT_TRUE(co_await flooded.connection->open(io::now() + std::chrono::seconds(10)));
  const TimePoint began = io::now();
  for (std::size_t i = 1; i <= mcp::forwarded_rate.burst; ++i) {
    flooded.link->deliver(request("first" + std::to_string(i), "roots/list"));
    co_await until([&] { return flooded.host->asked.size() == i; });
  }
  for (int i = 0; i < 500; ++i) {
    flooded.link->deliver(request(std::to_string(i), "roots/list"));
  }
  co_await settle(flooded.connection);
  EXPECT_GE(flooded.link->count_sent("20 at once are passed on to the host, then 5 a second"),
            400U);
  co_await until([&] {
    return flooded.host->asked.size() >= mcp::forwarded_rate.burst + mcp::forwarded_rate.waiting;
  });
  EXPECT_GE(io::now() - began, mcp::forwarded_rate.interval * 7) << "those that may wait do";
  co_await flooded.connection->close();
  co_return done;
}

TEST(ConnectionFaults, a_flood_of_requests_is_refused_and_not_passed_on) {
  run(too_many);
}

io::Task<bool> much_progress(io::Executor executor) {
  Flooded flooded(executor, [](ScriptedLink& link, const rpc::Message& message) {
    const std::string token(message.params().at({"_meta", "progressToken"}).raw());
    for (int i = 1; i <= 1000; ++i) {
      link.deliver(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{)"
                   R"("progressToken":)" +
                   token + R"(,"progress":)" + std::to_string(i) + "}}");
    }
    link.answer(message, "{}");
  });
  EXPECT_TRUE(co_await flooded.connection->open(io::now() + std::chrono::seconds(10)));
  std::vector<std::int64_t> seen;
  CallOptions options;
  options.on_progress = [&seen](json::Value params) {
    seen.push_back(params.find("progress").as_int().value_or(0));
  };
  std::string answer;
  co_await call_into(flooded.connection, "work", options, &answer);
  EXPECT_GE(seen.size(), mcp::progress_rate.burst);
  EXPECT_LT(seen.size(), 200U) << "the test itself may take seconds";
  EXPECT_EQ(seen.front(), 1);
  EXPECT_EQ(seen.empty() ? 0 : seen.back(), 1000) << "the last one is never lost";
  co_await flooded.connection->close();
  co_return done;
}

TEST(ConnectionFaults, of_much_progress_some_passes_and_the_last_one_always) {
  run(much_progress);
}

io::Task<bool> kept_progress(io::Executor executor) {
  Flooded flooded(executor, [](ScriptedLink& link, const rpc::Message& message) {
    const std::string token(message.params().at({"_meta", "progressToken"}).raw());
    for (int i = 1; i <= 100; ++i) {
      link.deliver(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{)"
                   R"("progressToken":)" +
                   token + R"(,"progress":)" + std::to_string(i) + "}}");
    }
  });
  EXPECT_TRUE(co_await flooded.connection->open(io::now() + std::chrono::seconds(10)));
  io::Condition changed(executor);
  std::int64_t last = 0;
  CallOptions options;
  options.on_progress = [&last, &changed](json::Value params) {
    last = params.find("progress").as_int().value_or(0);
    changed.notify_all();
  };
  std::string answer;
  io::TaskGroup tasks(executor);
  tasks.spawn("call", call_into(flooded.connection, "work", options, &answer), io::log_only);
  const TimePoint deadline = io::now() + std::chrono::seconds(20);
  while (last < 100 && io::now() < deadline) {
    (void)co_await changed.wait_until(deadline);
  }
  EXPECT_EQ(last, 100) << "while the call goes on";
  tasks.cancel();
  co_await tasks.join();
  co_await flooded.connection->close();
  co_return done;
}

TEST(ConnectionFaults, the_newest_progress_follows_when_a_flood_is_over) {
  run(kept_progress);
}

io::Task<bool> restless_lists(io::Executor executor) {
  Flooded flooded(executor, settles);
  EXPECT_TRUE(co_await flooded.connection->open(io::now() + std::chrono::seconds(10)));
  const TimePoint began = io::now();
  for (int i = 0; i < 300; ++i) {
    flooded.link->deliver(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
    co_await settle(flooded.connection);
    io::Condition never(executor);
    (void)co_await never.wait_until(io::now() + Milliseconds(2));
  }
  const auto seconds = static_cast<std::size_t>((io::now() - began) / std::chrono::seconds(1));
  EXPECT_LE(flooded.link->count_sent("tools/list"), 14 + seconds);
  co_await flooded.connection->close();
  co_return done;
}

TEST(ConnectionFaults, lists_that_change_without_end_are_read_now_and_then) {
  run(restless_lists);
}

}  // namespace
}  // namespace pi_mcp::servers
