// What a client sees of its POSTs and streams, and what the link gives of them.
#include "transport/http_host/http_host.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/task_group.h"
#include "support/fake_exchange.h"

namespace pi_mcp::transport {
namespace {

using test::FakeExchange;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})";

std::shared_ptr<FakeExchange> exchange() {
  return std::make_shared<FakeExchange>(http::RequestHead(), "");
}

std::string last_id(const std::string& said) {
  const std::size_t at = said.rfind("id: ") + 4;
  return said.substr(at, said.find('\n', at) - at);
}

io::Task<void> receive_once(HttpHost* host) {
  (void)co_await host->receive();
}

class HttpHostTest : public ::testing::Test {
 protected:
  std::shared_ptr<FakeExchange> post(const std::string& body, ClientStreams client = {}) {
    auto made = exchange();
    host_of(kind).post(made, *rpc::Message::parse_any(SharedText(body)), std::move(client));
    return made;
  }
  // Of the kind that the test wants.
  HttpHost& host_of(HttpHost::Kind wanted) {
    if (!made_) {
      made_ = std::make_unique<HttpHost>(context.get_executor(), wanted, HttpHost::Limits());
    }
    return *made_;
  }
  HttpHost& host() { return host_of(kind); }
  rpc::Message received() {
    std::optional<Result<rpc::Message>> message = host().receive_now();
    EXPECT_TRUE(message && *message);
    return *std::move(*message);
  }
  static rpc::Outgoing progress() {
    return rpc::notification("notifications/progress", SharedText(std::string(R"({"p":1})")));
  }

  HttpHost::Kind kind = HttpHost::Kind::session;
  boost::asio::io_context context;

 private:
  std::unique_ptr<HttpHost> made_;
};

TEST_F(HttpHostTest, an_answer_that_comes_first_is_json) {
  const auto client =
      post(call, {.headers = {{.name = "Mcp-Session-Id", .value = "s"}}, .takes_events = true});
  EXPECT_EQ(received().method(), "tools/call");
  EXPECT_EQ(host().under_way(), 1U);
  EXPECT_TRUE(host().send(rpc::result(rpc::Id(1), rpc::Outgoing("{}"))));
  EXPECT_TRUE(client->is_over);
  EXPECT_EQ(client->status, 200);
  EXPECT_EQ(client->said, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(http::find_header(client->headers, "content-type"), "application/json");
  EXPECT_EQ(http::find_header(client->headers, "mcp-session-id"), "s");
  EXPECT_EQ(host().under_way(), 0U);
}

TEST_F(HttpHostTest, what_is_said_before_makes_it_a_stream) {
  const auto client = post(call, {.headers = {}, .takes_events = true, .begins_empty = true});
  const rpc::Id id = received().id();
  EXPECT_TRUE(host().send_during(progress(), id));
  EXPECT_EQ(http::find_header(client->headers, "content-type"), "text/event-stream");
  EXPECT_THAT(client->said, StartsWith("id: "));
  EXPECT_THAT(client->said, HasSubstr("\nretry: 2000\ndata: \n\n"));
  EXPECT_THAT(client->said,
              EndsWith("\"method\":\"notifications/progress\",\"params\":{\"p\":1}}\n\n"));
  EXPECT_FALSE(client->is_over);
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{}"))));
  EXPECT_TRUE(client->is_over);
  EXPECT_THAT(client->said, EndsWith("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"));
}

TEST_F(HttpHostTest, a_slow_call_becomes_a_stream_that_stays_alive) {
  const auto client = post(call);
  host().look_at_clock(io::now());
  EXPECT_EQ(client->status, 0);
  host().look_at_clock(io::now() + Milliseconds(1'500));
  EXPECT_EQ(client->status, 200);
  EXPECT_EQ(client->said, ":\n\n");
  host().look_at_clock(io::now() + Milliseconds(17'000));
  EXPECT_EQ(client->said, ":\n\n:\n\n");
}

TEST_F(HttpHostTest, line_breaks_of_a_message_do_not_end_its_event) {
  const auto client = post(call);
  const rpc::Id id = received().id();
  host().look_at_clock(io::now() + Milliseconds(1'500));
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{\n \"a\":\r\n 1}"))));
  EXPECT_THAT(client->said, EndsWith("\"result\":{  \"a\":   1}}\n\n"));
}

TEST_F(HttpHostTest, a_client_of_json_alone_gets_its_answer_and_nothing_before) {
  const auto client = post(call, {.headers = {}, .takes_events = false});
  const rpc::Id id = received().id();
  EXPECT_TRUE(host().send_during(progress(), id));
  host().look_at_clock(io::now() + Milliseconds(5'000));
  EXPECT_EQ(client->status, 0);
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{}"))));
  EXPECT_EQ(client->said, R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(HttpHostTest, a_question_that_nobody_hears_is_refused) {
  const auto client = post(call, {.headers = {}, .takes_events = false});
  const rpc::Id id = received().id();
  EXPECT_TRUE(
      host().send_during(rpc::request(rpc::Id(9), "sampling/createMessage", SharedText()), id));
  const rpc::Message refused = received();
  EXPECT_EQ(refused.kind(), rpc::Message::Kind::failure);
  EXPECT_EQ(refused.id(), rpc::Id(9));
}

TEST_F(HttpHostTest, a_question_that_was_refused_is_not_put_later) {
  const auto gone = exchange();
  host().open_stream(gone, {.headers = {}, .takes_events = true, .begins_empty = true});
  const std::string seen = last_id(gone->said);
  gone->hang_up();
  EXPECT_TRUE(host().send(rpc::request(rpc::Id(9), "roots/list", SharedText())));
  EXPECT_EQ(received().id(), rpc::Id(9));
  const auto again = exchange();
  ASSERT_TRUE(host().resume(again, seen, {}));
  EXPECT_THAT(again->said, Not(HasSubstr("roots/list")));
}

TEST_F(HttpHostTest, a_question_goes_to_the_stream_of_its_call) {
  const auto client = post(call);
  const rpc::Id id = received().id();
  EXPECT_TRUE(
      host().send_during(rpc::request(rpc::Id(9), "sampling/createMessage", SharedText()), id));
  EXPECT_THAT(client->said, HasSubstr(R"("id":9,"method":"sampling/createMessage")"));
  const auto answer = post(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  EXPECT_EQ(answer->status, 202);
  EXPECT_EQ(received().kind(), rpc::Message::Kind::result);
}

TEST_F(HttpHostTest, what_belongs_to_no_request_goes_to_the_stream_for_that) {
  EXPECT_TRUE(host().send(progress()));  // nobody hears it
  const auto first = exchange();
  host().open_stream(first, {.headers = {}, .takes_events = true, .begins_empty = true});
  EXPECT_TRUE(host().has_stream());
  EXPECT_TRUE(host().send(progress()));
  EXPECT_THAT(first->said, HasSubstr("notifications/progress"));
  const auto second = exchange();
  host().open_stream(second, {});
  EXPECT_TRUE(first->is_over);
  first->hang_up();
  EXPECT_TRUE(host().has_stream());
  second->hang_up();
  EXPECT_FALSE(host().has_stream());
}

TEST_F(HttpHostTest, a_client_comes_back_to_a_call_that_goes_on) {
  const auto client = post(call, {.headers = {}, .takes_events = true, .begins_empty = true});
  const rpc::Id id = received().id();
  host().look_at_clock(io::now() + Milliseconds(1'500));
  const std::string seen = last_id(client->said);
  client->hang_up();
  EXPECT_FALSE(host().receive_now());  // which is no cancellation
  EXPECT_TRUE(host().send_during(progress(), id));
  const auto again = exchange();
  ASSERT_TRUE(
      host().resume(again, seen, {.headers = {}, .takes_events = true, .begins_empty = true}));
  EXPECT_THAT(again->said, StartsWith(":\n\nid: ")) << "nothing with an id before what was missed";
  EXPECT_THAT(again->said, HasSubstr("notifications/progress"));
  EXPECT_FALSE(again->is_over);
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{}"))));
  EXPECT_THAT(again->said, HasSubstr("\"result\":{}"));
  EXPECT_TRUE(again->is_over);
}

TEST_F(HttpHostTest, a_client_comes_back_after_the_answer) {
  const auto client = post(call, {.headers = {}, .takes_events = true, .begins_empty = true});
  const rpc::Id id = received().id();
  host().look_at_clock(io::now() + Milliseconds(1'500));
  client->hang_up();
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{}"))));
  EXPECT_EQ(host().under_way(), 0U);
  const auto again = exchange();
  ASSERT_TRUE(host().resume(again, last_id(client->said), {}));
  EXPECT_THAT(again->said, HasSubstr("\"result\":{}"));
  EXPECT_TRUE(again->is_over);
}

TEST_F(HttpHostTest, an_event_that_nobody_knows_is_said_so_or_begins_anew) {
  const auto lost = exchange();
  EXPECT_FALSE(host().resume(lost, "none", {}));
  EXPECT_FALSE(host().resume(lost, "3-1", {}));
  EXPECT_EQ(lost->status, 0);
  const auto stream = exchange();
  EXPECT_TRUE(host().resume(stream, "2-1", {}));  // of a stream for what belongs to no request
  EXPECT_TRUE(host().has_stream());
}

TEST_F(HttpHostTest, a_batch_is_answered_once) {
  const auto client =
      post(R"([{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},)"
           R"({"jsonrpc":"2.0","id":"x","method":"b"}])");
  EXPECT_EQ(received().kind(), rpc::Message::Kind::batch);
  rpc::Outgoing answers("[");
  answers.add(rpc::result(rpc::Id(1), rpc::Outgoing("{}")));
  answers.add(rpc::result(rpc::Id::from_json("\"x\""), rpc::Outgoing("{}")));
  answers.add("]");
  EXPECT_TRUE(host().send(std::move(answers)));
  EXPECT_TRUE(client->is_over);
  EXPECT_THAT(client->said, StartsWith("["));
}

TEST_F(HttpHostTest, an_id_in_use_is_refused_and_the_first_call_keeps_its_answer) {
  const auto first = post(call);
  const rpc::Id id = received().id();
  const auto second = post(call);
  EXPECT_EQ(second->status, 400);
  EXPECT_THAT(second->said, HasSubstr("is in use"));
  EXPECT_TRUE(host().send(rpc::result(id, rpc::Outgoing("{}"))));
  EXPECT_TRUE(first->is_over);
  EXPECT_EQ(post(call)->status, 0);
}

TEST_F(HttpHostTest, clients_without_sessions_may_have_equal_ids) {
  kind = HttpHost::Kind::stateless;
  const auto one = post(call);
  const auto two = post(call);
  const rpc::Id first = received().id();
  const rpc::Id second = received().id();
  EXPECT_NE(first, second);
  EXPECT_EQ(first.json(), second.json());
  EXPECT_TRUE(host().send(rpc::result(second, rpc::Outgoing("{}"))));
  EXPECT_TRUE(two->is_over);
  EXPECT_FALSE(one->is_over);
}

TEST_F(HttpHostTest, a_client_without_session_cancels_by_going) {
  kind = HttpHost::Kind::stateless;
  const auto client = post(call);
  const rpc::Id id = received().id();
  client->hang_up();
  const rpc::Message cancelled = received();
  EXPECT_EQ(cancelled.method(), "notifications/cancelled");
  EXPECT_EQ(cancelled.during(), id);
  EXPECT_EQ(host().under_way(), 0U);
}

TEST_F(HttpHostTest, failures_of_ours_have_a_status_without_sessions) {
  kind = HttpHost::Kind::stateless;
  for (const auto& [code, status] : {std::pair(-32601, 404),
                                     std::pair(-32602, 200),
                                     std::pair(-32020, 400),
                                     std::pair(-32022, 400)}) {
    const auto client = post(call);
    EXPECT_TRUE(host().send(rpc::failure(received().id(), code, "x")));
    EXPECT_EQ(client->status, status) << code;
  }
}

TEST_F(HttpHostTest, ends_what_is_open_when_it_is_closed) {
  const auto waiting = post(call);
  const auto stream = exchange();
  host().open_stream(stream, {});
  io::TaskGroup tasks(context.get_executor());
  tasks.spawn("closing", host().close(), io::log_only);
  context.run();
  EXPECT_EQ(waiting->status, 503);
  EXPECT_TRUE(stream->is_over);
  EXPECT_THAT(stream->said, EndsWith("retry: 2000\n\n"));
  EXPECT_EQ(post(call)->status, 503);
  EXPECT_FALSE(host().send(progress()));
}

TEST_F(HttpHostTest, a_message_may_be_taken_as_it_arrives) {
  std::vector<std::string> taken;
  host().on_arrival([&] {
    if (taken.empty()) {
      taken.push_back(received().method());
    }
  });
  (void)post(call);
  EXPECT_THAT(taken, ::testing::ElementsAre("tools/call"));
  EXPECT_FALSE(host().receive_now());
  (void)post(R"({"jsonrpc":"2.0","id":2,"method":"left"})");
  EXPECT_EQ(received().method(), "left");
  host().on_arrival(nullptr);
  (void)post(R"({"jsonrpc":"2.0","id":3,"method":"later"})");
  EXPECT_EQ(received().method(), "later");
}

TEST_F(HttpHostTest, who_takes_it_as_it_arrives_and_fails_hears_that_when_it_receives) {
  host().on_arrival([] { throw std::runtime_error("no memory"); });
  (void)post(call);
  std::string escaped;
  io::TaskGroup tasks(context.get_executor());
  tasks.spawn("receiving", receive_once(&host()), [&](const std::string& what) { escaped = what; });
  context.run();
  EXPECT_EQ(escaped, "no memory");
}

TEST_F(HttpHostTest, takes_no_more_requests_than_it_may_have) {
  const HttpHost::Limits limits;
  for (std::size_t i = 0; i < limits.posts_max; ++i) {
    EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"a"})")->status,
              0);
  }
  const auto one_more = post(call);
  EXPECT_EQ(one_more->status, 503);
  EXPECT_EQ(http::find_header(one_more->headers, "retry-after"), "1");
  EXPECT_THAT(one_more->said, Not(HasSubstr("\"id\":1,")));
}

}  // namespace
}  // namespace pi_mcp::transport
