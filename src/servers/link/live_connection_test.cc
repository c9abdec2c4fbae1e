#include "servers/link/live_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "support/scripted_host.h"
#include "support/scripted_link.h"

namespace pi_mcp::servers {
namespace {

using std::chrono::seconds;
using test::ScriptedLink;
using testing::HasSubstr;

constexpr bool done = true;

// One connection over a scripted link, with a record of its events.
struct Fixture {
  Fixture(const io::Executor& executor,
          ScriptedLink::Script script,
          mcp::LinkOptions options = {.server = "s", .list_changed_pause = Milliseconds(1)})
      : changed(executor), tasks(executor) {
    auto owned = std::make_unique<ScriptedLink>(executor, std::move(script));
    link = owned.get();
    link->on_sent = [this] {
      changed.notify_all();
    };
    ConnectionEvents events;
    events.listing_changed = [this](mcp::Listing listing) {
      listings.push_back(std::move(listing));
      changed.notify_all();
    };
    events.log_message = [this](json::Value params, const void* /*session*/) {
      logs.emplace_back(params.raw());
    };
    events.starting = [this](std::string_view what) {
      phases.emplace_back(what);
    };
    events.ended = [this](const transport::LinkEnd& end) {
      ends.push_back(end.reason);
    };
    connection =
        std::make_unique<LiveConnection>(executor,
                                         std::move(owned),
                                         LiveConnection::Options{.link = std::move(options)},
                                         std::move(events));
  }

  io::Task<Result<void>> open(Duration limit = seconds(10)) {
    return connection->open(io::now() + limit);
  }

  // Opens, and says why that failed.
  io::Task<std::string> refusal(Duration limit = seconds(10)) {
    const Result<void> opened = co_await open(limit);
    co_await connection->close();
    co_return opened ? "opened" : opened.error().message();
  }

  io::Task<std::string> text_of_call(std::string method, CallOptions options = {}) {
    const Result<rpc::Message> answer =
        co_await connection->call(std::move(method), SharedText(std::string("{}")), options);
    co_return answer ? std::string(answer->root().raw()) : answer.error().message();
  }

  // For tasks of their own.
  io::Task<void> call_into(std::string method, CallOptions options, std::string* into) {
    *into = co_await text_of_call(std::move(method), std::move(options));
    changed.notify_all();
  }

  template <class Predicate>
  io::Task<void> until(Predicate predicate) {
    const TimePoint deadline = io::now() + seconds(10);
    while (!predicate() && io::now() < deadline) {
      (void)co_await changed.wait_until(deadline);  // the predicate decides
    }
    EXPECT_TRUE(predicate());
  }

  ScriptedLink* link;
  std::unique_ptr<LiveConnection> connection;
  std::vector<mcp::Listing> listings;
  std::vector<std::string> logs;
  std::vector<std::string> ends;
  std::vector<std::string> phases;
  io::Condition changed;
  io::TaskGroup tasks;
};

// Runs a test body, which is a coroutine function, on a loop of its own.
void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

io::Task<bool> ends_during_initialize(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message&) {
    link.end_with("exited with status 1", "Error: GITHUB_TOKEN is required\n");
  });
  EXPECT_EQ(co_await fixture.refusal(),
            "exited with status 1 during initialize; stderr: Error: GITHUB_TOKEN is required");
  EXPECT_TRUE(fixture.ends.empty()) << "it was never open";
  co_return done;
}

TEST(LiveConnection, a_link_that_ends_during_initialize_says_how) {
  run(ends_during_initialize);
}

io::Task<bool> hung_initialize(io::Executor executor) {
  Fixture fixture(executor, {});
  fixture.link->counted.junk_lines = 2;
  const std::string refusal = co_await fixture.refusal(Milliseconds(5));
  EXPECT_THAT(refusal, HasSubstr("no answer to initialize within"));
  EXPECT_THAT(refusal, HasSubstr("it wrote nothing to stderr"));
  EXPECT_THAT(refusal, HasSubstr("2 lines on its stdout were no MCP messages"));
  EXPECT_EQ(fixture.link->count_sent("cancelled"), 0U) << "initialize must not be cancelled";
  co_return done;
}

TEST(LiveConnection, a_hung_initialize_ends_at_the_deadline) {
  run(hung_initialize);
}

mcp::LinkOptions looking_often(Milliseconds install_max) {
  return {.server = "s",
          .install_max = install_max,
          .start_look_pause = Milliseconds(2),
          .list_changed_pause = Milliseconds(1)};
}

io::Task<bool> installation(io::Executor executor) {
  int looks = 0;
  const auto script = [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() != "initialize") {
      test::well_behaved()(link, message);
    }
  };
  Fixture fixture(executor, script, looking_often(Milliseconds(60'000)));
  fixture.link->prepares = "installing x with npx";
  fixture.link->works = [&] {
    // By now the time of a start has passed many times.
    if (++looks == 200) {
      fixture.link->prepares.clear();
      test::well_behaved()(*fixture.link, *rpc::Message::parse(fixture.link->sent.front()));
    }
    return true;
  };
  EXPECT_TRUE(co_await fixture.open(Milliseconds(100)));
  EXPECT_GE(fixture.phases.size(), 100U);
  EXPECT_EQ(fixture.phases.at(0), "installing x with npx");
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, an_installation_that_goes_on_has_more_time_than_a_start) {
  run(installation);
}

io::Task<bool> installation_that_hangs(io::Executor executor) {
  Fixture fixture(executor, {}, looking_often(Milliseconds(60'000)));
  fixture.link->prepares = "installing x with npx";
  EXPECT_THAT(
      co_await fixture.refusal(Milliseconds(20)),
      HasSubstr("installing x with npx: nothing has happened for 20 ms; check the network"));
  co_return done;
}

TEST(LiveConnection, an_installation_where_nothing_happens_ends_like_a_hung_start) {
  run(installation_that_hangs);
}

io::Task<bool> endless_installation(io::Executor executor) {
  Fixture fixture(executor, {}, looking_often(Milliseconds(200)));
  fixture.link->prepares = "installing x with npx";
  fixture.link->works = [] {
    return true;
  };
  EXPECT_THAT(
      co_await fixture.refusal(Milliseconds(150)),
      HasSubstr("installing x with npx took longer than 200 ms; a larger installTimeoutMs"));
  co_return done;
}

TEST(LiveConnection, an_installation_has_a_limit_of_its_own) {
  run(endless_installation);
}

io::Task<bool> slow_start(io::Executor executor) {
  Fixture fixture(executor, {}, looking_often(Milliseconds(60'000)));
  EXPECT_THAT(
      co_await fixture.refusal(Milliseconds(30)),
      HasSubstr("no answer to initialize within 30 ms; a larger startupTimeoutMs gives it"));
  EXPECT_FALSE(fixture.phases.empty());
  EXPECT_EQ(fixture.phases.at(0), "");
  co_return done;
}

TEST(LiveConnection, a_slow_start_says_so_again_and_again) {
  run(slow_start);
}

io::Task<bool> refused_initialize(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    link.answer(message, R"({"protocolVersion":"1999-01-01"})");
  });
  EXPECT_THAT(co_await fixture.refusal(),
              HasSubstr("initialize: the server speaks protocol version \"1999-01-01\""));
  co_return done;
}

TEST(LiveConnection, a_server_of_another_age_is_refused) {
  run(refused_initialize);
}

io::Task<bool> failing_lists(io::Executor executor) {
  const auto refuse = [](ScriptedLink& link, const rpc::Message& message) {
    link.deliver(R"({"id":)" + message.id().json() + R"(,"error":{"code":-32603,"message":"no"}})");
  };
  const auto script = [refuse](std::string failing) {
    return [refuse, failing = std::move(failing)](ScriptedLink& link, const rpc::Message& message) {
      if (message.method() == failing) {
        refuse(link, message);
      } else {
        test::well_behaved({}, R"({"tools":{},"resources":{},"prompts":{}})")(link, message);
      }
    };
  };
  Fixture tools(executor, script("tools/list"));
  EXPECT_THAT(co_await tools.refusal(),
              HasSubstr("tools/list: the server refused: no (code -32603)"));
  Fixture resources(executor, script("resources/list"));
  EXPECT_TRUE(co_await resources.open());
  EXPECT_EQ(resources.connection->listing().tools.size(), 2U);
  EXPECT_TRUE(resources.connection->listing().resources.empty());
  EXPECT_EQ(resources.connection->listing().prompts.size(), 1U);
  co_await resources.connection->close();
  co_return done;
}

TEST(LiveConnection, only_the_tools_list_is_needed) {
  run(failing_lists);
}

io::Task<bool> good_start(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  const LiveConnection& connection = *fixture.connection;
  EXPECT_TRUE(connection.is_open());
  EXPECT_EQ(connection.server().label(), "scripted 3");
  EXPECT_EQ(connection.protocol_version(), "2025-06-18");
  EXPECT_EQ(connection.listing().tools.size(), 2U);
  EXPECT_EQ(connection.listing().instructions, "hi");
  EXPECT_EQ(fixture.link->sent.size(), 3U) << "initialize, initialized, the one list it has";
  EXPECT_THAT(fixture.link->sent[0], HasSubstr(R"("clientInfo":{"name":"pi-mcp",)"));
  EXPECT_THAT(fixture.link->sent[1], HasSubstr("notifications/initialized"));
  co_await fixture.connection->close();
  EXPECT_FALSE(connection.is_open());
  EXPECT_EQ(fixture.ends, std::vector<std::string>{"closed"});
  co_return done;
}

TEST(LiveConnection, shakes_hands_and_reads_the_lists_that_are_announced) {
  run(good_start);
}

io::Task<bool> calls_in_any_order(io::Executor executor) {
  std::vector<std::string> ids;
  Fixture fixture(executor,
                  test::well_behaved([&ids](ScriptedLink& link, const rpc::Message& message) {
                    ids.push_back(message.id().json());
                    if (ids.size() == 3) {
                      for (const int index : {2, 0, 1}) {
                        link.deliver(R"({"id":)" + ids[static_cast<std::size_t>(index)] +
                                     R"(,"result":)" + std::to_string(index) + "}");
                      }
                    }
                  }));
  EXPECT_TRUE(co_await fixture.open());
  std::array<std::string, 3> texts;
  for (std::string& text : texts) {
    fixture.tasks.spawn("call", fixture.call_into("tools/call", {}, &text), io::log_only);
  }
  co_await fixture.tasks.join();
  for (std::size_t index = 0; index < texts.size(); ++index) {
    EXPECT_THAT(texts.at(index), HasSubstr(R"("result":)" + std::to_string(index)));
  }
  EXPECT_EQ(fixture.connection->calls_in_flight(), 0U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, answers_find_their_calls_in_any_order) {
  run(calls_in_any_order);
}

io::Task<bool> end_during_calls(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  std::array<std::string, 2> texts;
  for (std::string& text : texts) {
    fixture.tasks.spawn("call", fixture.call_into("tools/call", {}, &text), io::log_only);
  }
  co_await fixture.until([&fixture] { return fixture.connection->calls_in_flight() == 2; });
  fixture.link->end_with("killed by SIGKILL", "a\nb\nc\nd\n");
  co_await fixture.tasks.join();
  for (const std::string& text : texts) {
    EXPECT_EQ(text, "killed by SIGKILL before it answered tools/call; stderr: b | c | d");
  }
  EXPECT_EQ(fixture.ends, std::vector<std::string>{"killed by SIGKILL"});
  EXPECT_EQ(co_await fixture.text_of_call("tools/call"), texts[0]);
  co_await fixture.connection->close();
  EXPECT_EQ(fixture.ends.size(), 1U);
  co_return done;
}

TEST(LiveConnection, when_the_link_ends_every_call_fails_with_the_reason) {
  run(end_during_calls);
}

io::Task<bool> timeout(io::Executor executor) {
  std::string late_id;
  Fixture fixture(executor,
                  test::well_behaved([&late_id](ScriptedLink&, const rpc::Message& message) {
                    if (message.id().exists()) {
                      late_id = message.id().json();
                    }
                  }));
  EXPECT_TRUE(co_await fixture.open());
  const Result<rpc::Message> answer = co_await fixture.connection->call(
      "tools/call", {}, {.quiet_max = Milliseconds(5), .on_progress = {}});
  EXPECT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), ErrorCode::timed_out);
  EXPECT_EQ(answer.error().message(),
            "no answer to tools/call within 5 ms; a larger requestTimeoutMs gives it more time");
  EXPECT_THAT(fixture.link->sent.back(),
              HasSubstr(R"("method":"notifications/cancelled","params":{"requestId":)" + late_id +
                        R"(,"reason":"no answer to tools/call within 5 ms"})"));
  fixture.link->deliver(R"({"id":)" + late_id + R"(,"result":{}})");
  fixture.link->deliver(R"({"id":"p","method":"ping"})");  // the late answer is read before it
  co_await fixture.until([&fixture] { return fixture.link->count_sent(R"("id":"p")") == 1; });
  EXPECT_EQ(fixture.connection->late_answers(), 1U);
  EXPECT_TRUE(fixture.connection->is_open());
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, a_silent_call_times_out_and_the_server_is_told) {
  run(timeout);
}

io::Task<bool> cancel_a_call(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  std::string text;
  const io::TaskGroup::TaskId id =
      fixture.tasks.spawn("call", fixture.call_into("tools/call", {}, &text), io::log_only);
  co_await fixture.until([&fixture] { return fixture.connection->calls_in_flight() == 1; });
  fixture.tasks.cancel(id);
  co_await fixture.tasks.join();
  EXPECT_EQ(text, "cancelled");
  EXPECT_EQ(fixture.link->count_sent(R"("reason":"cancelled by the client")"), 1U);
  EXPECT_EQ(fixture.connection->calls_in_flight(), 0U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, cancelling_the_waiting_task_tells_the_server) {
  run(cancel_a_call);
}

io::Task<bool> progress(io::Executor executor) {
  int steps = 0;
  Fixture fixture(
      executor, test::well_behaved([](ScriptedLink& link, const rpc::Message& message) {
        EXPECT_EQ(message.params().at({"_meta", "progressToken"}).raw(), message.id().json());
        const std::string token = R"({"progressToken":)" + message.id().json();
        for (const char* step : {R"(,"progress":1}})", R"(,"progress":2,"message":"half"}})"}) {
          link.deliver(R"({"method":"notifications/progress","params":)" + token + step);
        }
        link.deliver(R"({"method":"notifications/progress","params":{"progressToken":77}})");
        link.answer(message, "{}");
        link.deliver(R"({"method":"notifications/progress","params":)" + token + "}}");
      }));
  EXPECT_TRUE(co_await fixture.open());
  std::string last;
  CallOptions options;
  options.on_progress = [&steps, &last](json::Value params) {
    ++steps;
    last = params.find("message").string_or("");
  };
  EXPECT_THAT(co_await fixture.text_of_call("tools/call", options), HasSubstr(R"("result":{})"));
  EXPECT_EQ(steps, 2);
  EXPECT_EQ(last, "half");
  EXPECT_EQ(fixture.link->count_sent("progressToken"), 1U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, progress_reaches_its_call_under_a_token_of_ours) {
  run(progress);
}

io::Task<bool> long_progress(io::Executor executor) {
  std::string id;
  Fixture fixture(executor, test::well_behaved([&id](ScriptedLink&, const rpc::Message& message) {
                    id = message.id().json();
                  }));
  EXPECT_TRUE(co_await fixture.open());
  constexpr Milliseconds quiet_max{400};
  std::string text;
  CallOptions options{.quiet_max = quiet_max, .on_progress = [](json::Value) {
                      }};
  fixture.tasks.spawn("call", fixture.call_into("tools/call", options, &text), io::log_only);
  const TimePoint start = io::now();
  while (io::now() - start < 2 * quiet_max) {
    (void)co_await fixture.changed.wait_until(io::now() + Milliseconds(5));
    fixture.link->deliver(R"({"method":"notifications/progress","params":{"progressToken":)" + id +
                          "}}");
  }
  fixture.link->deliver(R"({"result":"at last","id":)" + id + "}");
  co_await fixture.tasks.join();
  EXPECT_THAT(text, HasSubstr("at last"));
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, a_call_that_reports_progress_may_take_longer) {
  run(long_progress);
}

io::Task<bool> server_requests(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  fixture.link->deliver(R"({"id":"a","method":"ping"})");
  fixture.link->deliver(R"({"id":7,"method":"roots/list"})");
  fixture.link->deliver(R"({"method":"notifications/message","params":{"level":"info"}})");
  fixture.link->deliver(R"({"method":"notifications/unheard_of"})");
  fixture.link->deliver(R"({"id":8,"method":"ping"})");
  co_await fixture.until([&fixture] { return fixture.link->count_sent(R"("id":8)") == 1; });
  EXPECT_EQ(fixture.link->count_sent(R"({"jsonrpc":"2.0","id":"a","result":{}})"), 1U);
  EXPECT_EQ(fixture.link->count_sent(R"("id":7,"error":{"code":-32601,)"), 1U);
  co_await fixture.connection->close();
  EXPECT_EQ(fixture.logs, std::vector<std::string>{R"({"level":"info"})"});
  co_return done;
}

TEST(LiveConnection, answers_ping_and_refuses_other_requests_of_the_server) {
  run(server_requests);
}

io::Task<bool> list_changes(io::Executor executor) {
  int tools = 1;
  Fixture fixture(executor, [&tools](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() != "tools/list") {
      test::well_behaved({}, R"({"tools":{},"prompts":{}})")(link, message);
      return;
    }
    std::string items = R"({"name":"t0"})";
    for (int i = 1; i < tools; ++i) {
      items += R"(,{"name":"t)" + std::to_string(i) + R"("})";
    }
    link.answer(message, R"({"tools":[)" + items + "]}");
  });
  EXPECT_TRUE(co_await fixture.open());
  EXPECT_EQ(fixture.connection->listing().tools.size(), 1U);
  tools = 3;
  for (int i = 0; i < 20; ++i) {
    fixture.link->deliver(R"({"method":"notifications/tools/list_changed"})");
  }
  co_await fixture.until([&fixture] { return !fixture.listings.empty(); });
  EXPECT_EQ(fixture.listings[0].tools.size(), 3U);
  EXPECT_EQ(fixture.listings[0].prompts.size(), 1U) << "the other lists stay";
  EXPECT_EQ(fixture.connection->listing().tools.size(), 3U);
  EXPECT_EQ(fixture.link->count_sent("tools/list"), 2U) << "one look for all of them";
  EXPECT_EQ(fixture.link->count_sent("prompts/list"), 1U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, follows_list_changes_once_for_a_burst_of_them) {
  run(list_changes);
}

io::Task<bool> pages(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/list") {
      const std::string cursor = message.params().find("cursor").string_or("0");
      const int page = std::stoi(cursor);
      link.answer(message,
                  R"({"tools":[{"name":"t)" + cursor + R"("}])" +
                      (page < 4 ? R"(,"nextCursor":")" + std::to_string(page + 1) + R"("})" : "}"));
    } else {
      test::well_behaved()(link, message);
    }
  });
  EXPECT_TRUE(co_await fixture.open());
  EXPECT_EQ(fixture.connection->listing().tools.size(), 5U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, reads_a_list_page_by_page) {
  run(pages);
}

io::Task<bool> dead_link(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  fixture.link->broken = "cannot write: Broken pipe";
  const Result<rpc::Message> answer = co_await fixture.connection->call("tools/call", {}, {});
  EXPECT_EQ(answer.error().code(), ErrorCode::io) << "nothing was written: it may be sent again";
  EXPECT_EQ(answer.error().message(), "cannot write: Broken pipe");
  EXPECT_FALSE(fixture.connection->is_open()) << "nobody will ever hear of this link again";
  EXPECT_EQ(fixture.ends.size(), 1U);
  co_await fixture.connection->close();
  EXPECT_EQ(fixture.ends.size(), 1U);
  co_return done;
}

TEST(LiveConnection, a_link_that_takes_nothing_any_more_is_over) {
  run(dead_link);
}

io::Task<bool> given_up(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  fixture.connection->give_up();
  EXPECT_FALSE(fixture.connection->is_open());
  const std::size_t sent = fixture.link->sent.size();
  const Result<rpc::Message> answer = co_await fixture.connection->call("tools/call", {}, {});
  EXPECT_EQ(answer.error().code(), ErrorCode::io);
  EXPECT_EQ(fixture.link->sent.size(), sent);
  const Result<void> fresh = co_await fixture.connection->refresh();
  EXPECT_EQ(fresh.error().code(), ErrorCode::io);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, what_is_about_to_be_closed_takes_no_call) {
  run(given_up);
}

io::Task<void> refresh_into(LiveConnection* connection, std::string* into) {
  const Result<void> fresh = co_await connection->refresh();
  *into = fresh ? "fresh" : fresh.error().message();
}

io::Task<bool> refreshed(io::Executor executor) {
  Fixture fixture(executor, test::well_behaved());
  EXPECT_TRUE(co_await fixture.open());
  std::array<std::string, 3> results;
  for (std::string& result : results) {
    fixture.tasks.spawn("refresh", refresh_into(fixture.connection.get(), &result), io::log_only);
  }
  co_await fixture.tasks.join();
  EXPECT_EQ(results, (std::array<std::string, 3>{"fresh", "fresh", "fresh"}));
  EXPECT_EQ(fixture.link->count_sent("\"tools/list\""), 2U) << "one look for all of them";
  EXPECT_EQ(fixture.listings.size(), 1U);
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, lists_are_read_again_once_for_all_who_ask) {
  run(refreshed);
}

io::Task<bool> refresh_of_a_dying_server(io::Executor executor) {
  bool silent = false;
  Fixture fixture(executor, [&silent](ScriptedLink& link, const rpc::Message& message) {
    if (!silent) {
      test::well_behaved()(link, message);
    }
  });
  EXPECT_TRUE(co_await fixture.open());
  silent = true;
  std::array<std::string, 2> results;
  fixture.tasks.spawn(
      "refresh", refresh_into(fixture.connection.get(), results.data()), io::log_only);
  co_await fixture.until([&fixture] { return fixture.link->count_sent("\"tools/list\"") == 2; });
  fixture.tasks.spawn("refresh", refresh_into(fixture.connection.get(), &results[1]), io::log_only);
  fixture.link->end_with("killed by SIGKILL");
  co_await fixture.tasks.join();
  EXPECT_EQ(results[0], "killed by SIGKILL before it answered tools/list");
  EXPECT_NE(results[1], "fresh");
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, nobody_waits_for_the_lists_of_a_server_that_died) {
  run(refresh_of_a_dying_server);
}

// Answers the handshake and nothing else, and asks when it is called with "ask".
void asking(ScriptedLink& link, const rpc::Message& message) {
  if (message.method() == "ask") {
    link.deliver(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  } else if (message.method() != "silent") {
    test::well_behaved()(link, message);
  }
}

io::Task<bool> held(io::Executor executor) {
  const auto host = std::make_shared<test::ScriptedHost>();
  Fixture fixture(
      executor,
      asking,
      {.server = "s", .features = host->features(), .list_changed_pause = Milliseconds(1)});
  EXPECT_TRUE(co_await fixture.open());
  CallOptions silent;
  silent.quiet_max = Milliseconds(30);
  CallOptions asked = silent;
  asked.host = host;
  std::string first = "waits";
  std::string second = "waits";
  fixture.tasks.spawn("ask", fixture.call_into("ask", asked, &first), io::log_only);
  co_await fixture.until([&host] { return !host->asked.empty(); });
  fixture.tasks.spawn("silent", fixture.call_into("silent", silent, &second), io::log_only);
  co_await fixture.until([&second] { return second != "waits"; });
  EXPECT_THAT(second, HasSubstr("no answer to silent within 30 ms"));
  EXPECT_EQ(first, "waits") << "it began earlier, but waits for the host";
  host->answer("{}");
  co_await fixture.until([&first] { return first != "waits"; });
  EXPECT_THAT(first, HasSubstr("no answer to ask within 30 ms")) << "now its server is slow";
  EXPECT_EQ(host->withdrawn, 0);
  co_await fixture.tasks.join();
  co_await fixture.connection->close();
  co_return done;
}

TEST(LiveConnection, the_time_of_a_host_is_not_that_of_the_server) {
  run(held);
}

}  // namespace
}  // namespace pi_mcp::servers
