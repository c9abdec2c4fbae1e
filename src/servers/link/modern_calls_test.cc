// LiveConnection with servers of 2026-07-28.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "servers/link/live_connection.h"
#include "support/scripted_link.h"

namespace pi_mcp::servers {
namespace {

using std::chrono::seconds;
using test::ScriptedLink;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr bool done = true;

constexpr auto discovered =
    R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)"
    R"({"tools":{"listChanged":true}},"_meta":)"
    R"({"io.modelcontextprotocol/serverInfo":{"name":"modern","version":"1"}}})";
constexpr auto tools =
    R"({"tools":[{"name":"good","inputSchema":{"type":"object","properties":{"r":)"
    R"({"type":"string","x-mcp-header":"Region"}}}},{"name":"bad","inputSchema":)"
    R"({"type":"object","properties":{"r":{"type":"number","x-mcp-header":"R"}}}}]})";

// A server whose calls go to `on_call`, with a connection to it.
struct Fixture {
  using OnCall = std::function<void(ScriptedLink& link, const rpc::Message& message)>;

  Fixture(const io::Executor& executor,
          OnCall on_call,
          mcp::ClientFeatures features = {},
          Milliseconds list_fresh_min = Milliseconds(5000))
      : changed(executor) {
    auto owned = std::make_unique<ScriptedLink>(
        executor,
        [this, on_call = std::move(on_call)](ScriptedLink& to, const rpc::Message& message) {
          if (message.method() == "server/discover") {
            to.answer(message, discovered);
          } else if (message.method() == "tools/list") {
            to.answer(message, "{" + caching + std::string(tools).substr(1));
          } else if (message.kind() == rpc::Message::Kind::request && on_call) {
            on_call(to, message);
          }
        });
    link = owned.get();
    link->on_sent = [this] {
      changed.notify_all();
    };
    ConnectionEvents events;
    events.listing_changed = [this](const mcp::Listing&) {
      ++changes;
      changed.notify_all();
    };
    mcp::LinkOptions options;
    options.server = "s";
    options.has_headers = true;
    options.features = features;
    options.list_changed_pause = Milliseconds(1);
    options.list_fresh_min = list_fresh_min;
    options.listen_pause = Milliseconds(1);
    connection =
        std::make_unique<LiveConnection>(executor,
                                         std::move(owned),
                                         LiveConnection::Options{.link = std::move(options)},
                                         std::move(events));
  }

  io::Task<std::string> call(std::string tool) {
    const std::string params = R"({"name":")" + tool + R"(","arguments":{"r":"x"}})";
    CallOptions options;
    options.host = host;
    const Result<rpc::Message> answer =
        co_await connection->call("tools/call", SharedText(params), std::move(options));
    if (!answer) {
      co_return answer.error().message();
    }
    co_return std::string(answer->kind() == rpc::Message::Kind::failure ? answer->error().raw()
                                                                        : answer->result().raw());
  }

  // Opens, calls `good`, closes.
  io::Task<std::string> one_call() {
    const Result<void> opened = co_await connection->open(io::now() + seconds(10));
    std::string text = opened ? co_await call("good") : opened.error().message();
    co_await connection->close();
    co_return text;
  }

  template <class Predicate>
  io::Task<void> until(Predicate predicate) {
    const TimePoint deadline = io::now() + seconds(10);
    while (!predicate() && io::now() < deadline) {
      (void)co_await changed.wait_until(deadline);  // the predicate decides
    }
    EXPECT_TRUE(predicate());
  }

  [[nodiscard]] std::vector<std::string> sent_of(const std::string& method) const {
    std::vector<std::string> found;
    for (const std::string& line : link->sent) {
      if (line.find("\"method\":\"" + method + "\"") != std::string::npos) {
        found.push_back(line);
      }
    }
    return found;
  }

  std::string caching;  // members of tools/list
  ScriptedLink* link = nullptr;
  io::Condition changed;
  int changes = 0;
  std::shared_ptr<HostLink> host;
  std::unique_ptr<LiveConnection> connection;
};

void failure(ScriptedLink& link, const rpc::Message& to, int code) {
  link.deliver(R"({"jsonrpc":"2.0","id":)" + to.id().json() + R"(,"error":{"code":)" +
               std::to_string(code) + R"(,"message":"no"}})");
}

io::Task<bool> without_a_handshake(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"content":[]})");
    }
  });
  EXPECT_EQ(co_await fixture.one_call(), R"({"content":[]})");
  EXPECT_EQ(fixture.connection->protocol_version(), "2026-07-28");
  EXPECT_EQ(fixture.connection->server().label(), "modern 1");
  EXPECT_EQ(fixture.link->count_sent("initialize"), 0U);
  for (const std::string& line : fixture.link->sent) {
    EXPECT_THAT(line, HasSubstr(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"));
    EXPECT_THAT(line, HasSubstr(R"("io.modelcontextprotocol/clientInfo":{"name":"pi-mcp")"));
  }
  co_return done;
}
TEST(ModernCalls, need_no_handshake_and_say_each_time_who_asks) {
  io::run(without_a_handshake);
}

io::Task<bool> spoiled_tools(io::Executor executor) {
  Fixture fixture(executor, {});
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  std::vector<std::string> names;
  for (const mcp::Tool& tool : fixture.connection->listing().tools) {
    names.push_back(tool.name);
  }
  EXPECT_THAT(names, ElementsAre("good"));
  co_await fixture.connection->close();
  co_return done;
}
TEST(ModernCalls, know_no_tool_whose_header_annotations_break_the_rules) {
  io::run(spoiled_tools);
}

io::Task<bool> rounds(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call" && !message.params().find("requestState")) {
      link.answer(message, R"({"resultType":"input_required","requestState":"\u0041"})");
    } else if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"complete","content":[]})");
    }
  });
  EXPECT_THAT(co_await fixture.one_call(), HasSubstr(R"("content":[])"));
  const auto calls = fixture.sent_of("tools/call");
  EXPECT_EQ(calls.size(), 2U);
  EXPECT_THAT(calls.back(), HasSubstr(R"("requestState":"\u0041")"));
  co_return done;
}
TEST(ModernCalls, are_made_again_with_the_state_that_the_server_gave) {
  io::run(rounds);
}

// Answers every question with the params it was asked with.
class Host final : public HostLink {
 public:
  explicit Host(mcp::ClientFeatures features) : features_(features) {}
  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override {
    asked = method + " " + std::string(params.view());
    co_return rpc::Message::parse(
        std::string(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})"));
  }
  std::string asked;

 private:
  mcp::ClientFeatures features_;
};

constexpr auto question =
    R"({"resultType":"input_required","inputRequests":{"c":{"method":"elicitation/create",)"
    R"("params":{"message":"ok?"}}}})";

Fixture::OnCall asks_once() {
  return [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message,
                  message.params().find("inputResponses") ? R"({"content":[]})" : question);
    }
  };
}

io::Task<bool> questions(io::Executor executor) {
  mcp::ClientFeatures features;
  features.elicitation_form = true;
  Fixture fixture(executor, asks_once(), features);
  const auto host = std::make_shared<Host>(features);
  fixture.host = host;
  EXPECT_EQ(co_await fixture.one_call(), R"({"content":[]})");
  EXPECT_EQ(host->asked,
            R"(elicitation/create {"_meta":{"pi-mcp/server":"s"},"message":"s asks: ok?"})");
  EXPECT_THAT(fixture.sent_of("tools/call").back(),
              HasSubstr(R"("inputResponses":{"c":{"action":"accept"}})"));
  EXPECT_THAT(fixture.sent_of("tools/call").back(), Not(HasSubstr("requestState")));
  EXPECT_THAT(fixture.sent_of("tools/call").back(),
              HasSubstr(R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":)"));
  co_return done;
}
TEST(ModernCalls, carry_questions_to_the_host_that_made_the_call) {
  io::run(questions);
}

io::Task<bool> nobody_to_ask(io::Executor executor) {
  mcp::ClientFeatures features;
  features.elicitation_form = true;
  Fixture alone(executor, asks_once(), features);
  EXPECT_THAT(co_await alone.one_call(), HasSubstr("there is nobody to answer"));
  Fixture undeclared(executor, asks_once());
  EXPECT_THAT(co_await undeclared.one_call(), HasSubstr("and the server asks for it"));
  co_return done;
}
TEST(ModernCalls, fail_when_the_server_asks_and_nobody_can_answer) {
  io::run(nobody_to_ask);
}

io::Task<bool> tasks(io::Executor executor) {
  int looks = 0;
  Fixture fixture(executor, [&looks](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"task","taskId":"t","pollIntervalMs":1})");
    } else if (message.method() == "tasks/get") {
      const bool is_over = ++looks == 2;
      link.answer(message,
                  is_over ? R"({"status":"completed","result":{"content":["r"]}})"
                          : R"({"status":"working","pollIntervalMs":1})");
    }
  });
  EXPECT_EQ(co_await fixture.one_call(), R"({"content":["r"]})");
  EXPECT_EQ(looks, 2);
  co_return done;
}
TEST(ModernCalls, follow_a_task_until_it_is_done) {
  io::run(tasks);
}

io::Task<void> call_into(Fixture* fixture, std::string* outcome) {
  *outcome = co_await fixture->call("good");
}

// A call whose task the server works on for ever is cancelled after the first look at it.
io::Task<bool> cancel_a_task(io::Executor executor, bool answers_looks) {
  Fixture fixture(executor, [answers_looks](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"task","taskId":"t","pollIntervalMs":1})");
    } else if (message.method() == "tasks/get" && answers_looks) {
      link.answer(message, R"({"status":"working","pollIntervalMs":1})");
    }
  });
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  std::string outcome;
  io::TaskGroup tasks(executor);
  const io::TaskGroup::TaskId call =
      tasks.spawn("call", call_into(&fixture, &outcome), io::log_only);
  co_await fixture.until([&fixture] { return !fixture.sent_of("tasks/get").empty(); });
  tasks.cancel(call);
  co_await tasks.join();
  EXPECT_EQ(outcome, "cancelled");
  const auto sent = fixture.sent_of("tasks/cancel");
  EXPECT_EQ(sent.size(), 1U);
  EXPECT_THAT(sent.empty() ? "" : sent.front(), HasSubstr(R"("taskId":"t")"));
  co_await fixture.connection->close();
  co_return done;
}
TEST(ModernCalls, that_are_cancelled_cancel_their_task) {
  io::run([](const io::Executor& executor) { return cancel_a_task(executor, true); });
}
TEST(ModernCalls, that_are_cancelled_while_a_look_is_not_answered_cancel_their_task) {
  io::run([](const io::Executor& executor) { return cancel_a_task(executor, false); });
}

io::Task<bool> ended_tasks(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"task","taskId":"t","pollIntervalMs":1})");
    } else if (message.method() == "tasks/get") {
      link.answer(message, R"({"status":"cancelled","statusMessage":"by an operator"})");
    }
  });
  EXPECT_THAT(co_await fixture.one_call(), HasSubstr("cancelled its task; by an operator"));
  EXPECT_THAT(fixture.sent_of("tasks/cancel"), testing::IsEmpty());
  co_return done;
}
TEST(ModernCalls, leave_a_task_alone_that_the_server_has_ended) {
  io::run(ended_tasks);
}

io::Task<bool> late_tasks(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"task","taskId":"t","pollIntervalMs":30000})");
    }
  });
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  CallOptions options;
  options.total_max = Milliseconds(30);  // far less than the server wants between two looks
  const Result<rpc::Message> answer =
      co_await fixture.connection->call("tools/call", SharedText(R"({"name":"good"})"), options);
  EXPECT_FALSE(answer);
  EXPECT_THAT(answer ? "" : answer.error().message(), HasSubstr("was not done in time"));
  EXPECT_EQ(fixture.sent_of("tasks/cancel").size(), 1U);
  co_await fixture.connection->close();
  co_return done;
}
TEST(ModernCalls, give_a_task_up_and_cancel_it_when_their_time_is_over) {
  io::run(late_tasks);
}

io::Task<bool> missed_headers(io::Executor executor) {
  int calls = 0;
  Fixture fixture(executor, [&calls](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call" && ++calls == 1) {
      failure(link, message, -32020);
    } else if (message.method() == "tools/call") {
      failure(link, message, calls == 2 ? -32020 : -1);
    }
  });
  EXPECT_THAT(co_await fixture.one_call(), HasSubstr("-32020")) << "once more, not for ever";
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(fixture.sent_of("tools/list").size(), 2U);
  co_return done;
}
TEST(ModernCalls, read_the_tools_again_when_the_server_misses_a_header) {
  io::run(missed_headers);
}

io::Task<bool> odd_results(io::Executor executor) {
  Fixture fixture(executor, [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"resultType":"riddle"})");
    }
  });
  EXPECT_THAT(co_await fixture.one_call(), HasSubstr("kind of result that is not known"));
  co_return done;
}
TEST(ModernCalls, fail_with_a_result_of_an_unknown_kind) {
  io::run(odd_results);
}

io::Task<bool> listening(io::Executor executor) {
  Fixture fixture(executor, {});
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  co_await fixture.until([&fixture] { return !fixture.sent_of("subscriptions/listen").empty(); });
  EXPECT_THAT(fixture.sent_of("subscriptions/listen").front(),
              HasSubstr(R"("notifications":{"toolsListChanged":true})"));
  EXPECT_EQ(fixture.connection->calls_in_flight(), 0U);
  fixture.link->deliver(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  co_await fixture.until([&fixture] { return fixture.changes == 1; });
  const auto listen = rpc::Message::parse(fixture.sent_of("subscriptions/listen").front());
  fixture.link->answer(*listen, "{}");  // the server ends the stream
  co_await fixture.until(
      [&fixture] { return fixture.sent_of("subscriptions/listen").size() == 2; });
  co_await fixture.until([&fixture] { return fixture.changes == 2; });
  co_await fixture.connection->close();
  co_return done;
}
TEST(ModernCalls, hear_of_changes_and_listen_again_when_the_stream_ends) {
  io::run(listening);
}

Fixture::OnCall answers() {
  return [](ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "tools/call") {
      link.answer(message, R"({"content":[]})");
    }
  };
}

io::Task<bool> stale_lists(io::Executor executor) {
  Fixture fixture(executor, answers(), {}, Milliseconds(0));
  fixture.caching = R"("ttlMs":0,"cacheScope":"public",)";
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  EXPECT_TRUE(fixture.connection->has_stale_lists());
  EXPECT_EQ(fixture.sent_of("tools/list").size(), 1U) << "nobody has used it yet";
  fixture.caching = R"("ttlMs":3600000,"cacheScope":"private",)";
  EXPECT_EQ(co_await fixture.call("good"), R"({"content":[]})");
  co_await fixture.until([&fixture] { return fixture.changes == 1; });
  EXPECT_FALSE(fixture.connection->has_stale_lists());
  EXPECT_EQ(co_await fixture.call("good"), R"({"content":[]})");
  EXPECT_EQ(fixture.sent_of("tools/list").size(), 2U);
  const mcp::Caching caching = fixture.connection->listing().caching.value_or(mcp::Caching{});
  EXPECT_EQ(caching.ttl, Milliseconds(3'600'000));
  EXPECT_TRUE(caching.is_private);
  co_await fixture.connection->close();
  EXPECT_FALSE(fixture.connection->has_stale_lists());
  co_return done;
}
TEST(ModernCalls, read_lists_that_are_out_of_date_again_and_do_not_wait_for_them) {
  io::run(stale_lists);
}

io::Task<bool> busy_use(io::Executor executor) {
  Fixture fixture(executor, answers());  // lists of which nothing is said are out of date at once
  EXPECT_TRUE(co_await fixture.connection->open(io::now() + seconds(10)));
  EXPECT_FALSE(fixture.connection->has_stale_lists());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(co_await fixture.call("good"), R"({"content":[]})");
  }
  EXPECT_EQ(fixture.sent_of("tools/list").size(), 1U);
  co_await fixture.connection->close();
  co_return done;
}
TEST(ModernCalls, do_not_read_a_list_again_that_was_read_a_moment_ago) {
  io::run(busy_use);
}

}  // namespace
}  // namespace pi_mcp::servers
