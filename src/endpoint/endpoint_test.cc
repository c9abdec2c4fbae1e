// What those who come by different tokens have of one endpoint.
#include "endpoint/endpoint.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "access/narrow.h"
#include "access/session_keys.h"
#include "endpoint/rates.h"
#include "io/loop/clock.h"
#include "support/fake_exchange.h"
#include "support/session_fixture.h"

namespace pi_mcp::endpoint {
namespace {

using test::FakeExchange;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int ok = 200;
constexpr int too_many = 429;
constexpr int unavailable = 503;

// A token is its own name and id.
class Names final : public access::TokenLookUp {
 public:
  access::TokenFound find(std::string_view bearer, EpochMs /*now*/) override {
    if (bearer == "rotated" && are_keys_away) {
      return {.what = access::TokenFound::What::waiting,
              .principal = nullptr,
              .fault = access::TokenFault::keys_under_way};
    }
    access::Principal principal;
    principal.name = principal.id = bearer;
    principal.metrics_alone = bearer == "reader";
    if (bearer == "limited") {
      principal.rate = {.count = 1, .period = Milliseconds(60'000), .burst = 3};
    }
    return {.what = access::TokenFound::What::good,
            .principal = std::make_shared<const access::Principal>(std::move(principal))};
  }

  bool are_keys_away = false;  // those of the token "rotated"
};

class EndpointTest : public test::SessionFixture {
 protected:
  using Client = std::shared_ptr<FakeExchange>;

  EndpointTest() {
    test::FakeServer server;
    server.tools = test::echo_tools;
    server.on_call = [](test::ScriptedLink& link, const rpc::Message& asked) {
      return asked.params().find("name").equals("echo") ? test::echo_answer(link, asked) : "";
    };
    add("s", std::move(server));
  }
  ~EndpointTest() override {
    if (sessions_) {
      wait(sessions_->close());
    }
    wait(rates.close());
    stop();
  }
  EndpointTest(const EndpointTest&) = delete;
  EndpointTest& operator=(const EndpointTest&) = delete;
  EndpointTest(EndpointTest&&) = delete;
  EndpointTest& operator=(EndpointTest&&) = delete;

  Endpoint& endpoint() {
    if (!endpoint_) {
      sessions_ = std::make_unique<Sessions>(
          context.get_executor(),
          gateway(),
          keys_,
          Sessions::Options{.environment = make_environment(),
                            .settings =
                                [this](const access::Principal& principal) {
                                  return access::narrow(make_settings(), principal);
                                },
                            .has_server = access::may_use,
                            .is_good = [](const access::Principal& /*any*/) { return true; },
                            .answered = nullptr,
                            .version = "1",
                            .live_max = live_max,
                            .calls_max = calls_max,
                            .came =
                                [this](const access::Principal& principal) {
                                  came.push_back(principal.id);
                                }});
      Endpoint::Observers observers;
      observers.gauges = [] {
        return Metrics::Gauges();
      };
      endpoint_ =
          std::make_unique<Endpoint>(*gate_, names, *sessions_, nullptr, std::move(observers));
      endpoint_->allow_requests(requests_max);
      endpoint_->limit(rates);
    }
    return *endpoint_;
  }

  Sessions& sessions() {
    (void)endpoint();
    return *sessions_;
  }

  Client send(http::RequestHead head, const std::string& token, std::string body = "") {
    head.headers.push_back({.name = "Host", .value = "localhost"});
    head.headers.push_back({.name = "Accept", .value = "application/json, text/event-stream"});
    if (!token.empty()) {
      head.headers.push_back({.name = "Authorization", .value = "Bearer " + token});
    }
    auto client = std::make_shared<FakeExchange>(std::move(head), std::move(body));
    endpoint().serve(client);
    return client;
  }
  Client post(const std::string& token, const std::string& session, std::string body) {
    http::RequestHead head{.method = "POST", .target = "/mcp", .headers = {}};
    head.headers.push_back({.name = "Content-Type", .value = "application/json"});
    if (!session.empty()) {
      head.headers.push_back({.name = "Mcp-Session-Id", .value = session});
    }
    return send(std::move(head), token, std::move(body));
  }
  Client answered(Client client) {
    run_until([&client] { return client->is_over; });
    return client;
  }
  Client begin(const std::string& token) {
    return answered(post(token,
                         "",
                         R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                         R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                         R"("clientInfo":{"name":"t","version":"1"}}})"));
  }
  static std::string session_of(const Client& begun) {
    return std::string(http::find_header(begun->headers, "Mcp-Session-Id"));
  }
  Client open_stream(const std::string& token, const std::string& session) {
    http::RequestHead head{.method = "GET", .target = "/mcp", .headers = {}};
    head.headers.push_back({.name = "Mcp-Session-Id", .value = session});
    return send(std::move(head), token);
  }
  // As many sessions with a stream as there is room for.
  std::vector<Client> open_streams(const std::string& token) {
    std::vector<Client> streams;
    for (Client made = begin(token); made->status == ok && streams.size() < live_max;) {
      streams.push_back(open_stream(token, session_of(made)));
      made = begin(token);
    }
    return streams;
  }
  Client call(const std::string& token, const std::string& session, const std::string& tool) {
    const std::string args = tool == "s_echo" ? R"({"text":"hi"})" : R"({"a":1,"b":2})";
    return post(token,
                session,
                R"({"jsonrpc":"2.0","id":)" + std::to_string(++last_id_) +
                    R"(,"method":"tools/call","params":{"name":"mcp","arguments":{"tool":")" +
                    tool + R"(","args":)" + args + "}}}");
  }
  Client get(const std::string& token, const std::string& path) {
    return send({.method = "GET", .target = path, .headers = {}}, token);
  }
  static void expect_refused(const Client& client, const std::string& why) {
    EXPECT_EQ(client->status, too_many) << client->said;
    EXPECT_EQ(http::find_header(client->headers, "Retry-After"), "1");
    EXPECT_THAT(client->said, HasSubstr(why));
  }

  // The status that the head of a request is refused with; 0: it is not.
  int refused(http::Headers headers) {
    headers.push_back({.name = "Host", .value = "localhost"});
    headers.push_back({.name = "Content-Type", .value = "application/json"});
    headers.push_back({.name = "Authorization", .value = "Bearer rotated"});
    const auto admitted =
        endpoint().admit({.method = "POST", .target = "/mcp", .headers = std::move(headers)}, {});
    return admitted ? 0 : admitted.error().status;
  }

  // Of a request with this token.
  io::HttpAccount account_of(const std::string& token) {
    http::RequestHead head{.method = "POST", .target = "/mcp", .headers = {}};
    head.headers.push_back({.name = "Host", .value = "localhost"});
    head.headers.push_back({.name = "Content-Type", .value = "application/json"});
    if (!token.empty()) {
      head.headers.push_back({.name = "Authorization", .value = "Bearer " + token});
    }
    auto admitted = endpoint().admit(head, here_);
    EXPECT_TRUE(admitted) << token;
    return admitted ? *std::move(admitted) : nullptr;
  }
  // The status that so much more of a body is refused with; 0: it is not.
  int status_of_body(const io::HttpAccount& account, std::size_t bytes) {
    const auto refusal = endpoint().take_room(io::HttpRoom::body, account, bytes);
    return refusal ? refusal->status : 0;
  }

  std::size_t live_max = 1024;
  std::size_t calls_max = 1024;
  std::size_t requests_max = 1024;
  Names names;
  std::vector<std::string> came;  // as Sessions tells
  Rates rates{context.get_executor(), nullptr};

 private:
  access::SessionKeys keys_ = access::SessionKeys::in_memory();
  Result<access::Gate> gate_ = access::Gate::make(
      {.is_local_only = true, .allowed_hosts = {}, .allowed_origins = {}, .own_user = 0});
  const io::HttpPeer here_{.address = "127.0.0.1", .is_unix = false, .is_here = true, .user = 0};
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<Endpoint> endpoint_;
  int last_id_ = 0;
};

TEST_F(EndpointTest, two_tokens_and_the_user_never_share_a_server) {
  for (const char* token : {"one", "two", ""}) {
    for (int i = 0; i < 2; ++i) {
      const std::string session = session_of(begin(token));
      EXPECT_THAT(answered(call(token, session, "s_echo"))->said, HasSubstr("\"hi\"")) << token;
    }
  }
  EXPECT_EQ(starts["s"], 3);
}

TEST_F(EndpointTest, who_fills_its_share_of_sessions_leaves_room_for_others) {
  live_max = 64;
  const std::vector<Client> streams = open_streams("greedy");
  EXPECT_EQ(streams.size(), 48U);
  expect_refused(begin("greedy"), "so many sessions");
  for (const char* modest : {"modest", ""}) {
    const Client other = begin(modest);
    ASSERT_EQ(other->status, ok) << other->said;
    EXPECT_THAT(answered(call(modest, session_of(other), "s_echo"))->said, HasSubstr("\"hi\""));
  }
  streams.front()->hang_up();
  EXPECT_EQ(begin("greedy")->status, ok) << "in place of its own that nobody uses";
}

TEST_F(EndpointTest, who_comes_is_told_when_it_has_nothing_in_memory_yet) {
  const Client stream = open_stream("one", session_of(begin("one")));
  begin("two");
  EXPECT_THAT(came, ElementsAre("one", "two"));
  std::vector<std::string> present;
  for (const PrincipalPtr& principal : sessions().principals()) {
    present.push_back(principal->id);
  }
  EXPECT_THAT(present, ElementsAre("one", "two"));
}

TEST_F(EndpointTest, sessions_that_nobody_uses_make_room_for_their_own) {
  live_max = 64;
  const std::string modest = session_of(begin("modest"));
  EXPECT_EQ(answered(call("modest", modest, "s_echo"))->status, ok);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(begin("greedy")->status, ok) << i;
  }
  EXPECT_EQ(answered(call("modest", modest, "s_echo"))->status, ok);
  EXPECT_EQ(starts["s"], 1) << "it was not forgotten";
}

TEST_F(EndpointTest, who_has_many_calls_under_way_leaves_room_for_others) {
  calls_max = 64;
  const std::string session = session_of(begin("greedy"));
  EXPECT_EQ(answered(call("greedy", session, "s_echo"))->status, ok);
  std::vector<Client> calls;
  for (int i = 0; i < 48; ++i) {
    calls.push_back(call("greedy", session, "s_add"));
    EXPECT_FALSE(calls.back()->is_over) << i << calls.back()->said;
  }
  expect_refused(call("greedy", session, "s_add"), "so many calls");
  const std::string modest = session_of(begin("modest"));
  EXPECT_THAT(answered(call("modest", modest, "s_echo"))->said, HasSubstr("\"hi\""));
}

TEST_F(EndpointTest, who_holds_many_connections_leaves_room_for_others) {
  requests_max = 64;
  const std::string session = session_of(begin("greedy"));
  EXPECT_EQ(answered(call("greedy", session, "s_echo"))->status, ok);
  std::vector<Client> calls = {open_stream("greedy", session)};
  for (int i = 0; i < 47; ++i) {
    calls.push_back(call("greedy", session, "s_add"));
  }
  expect_refused(call("greedy", session, "s_add"), "requests and streams");
  const std::string modest = session_of(begin("modest"));
  EXPECT_THAT(answered(call("modest", modest, "s_echo"))->said, HasSubstr("\"hi\""));
  calls.front()->hang_up();
  EXPECT_EQ(open_stream("greedy", session)->status, ok);
}

TEST_F(EndpointTest, who_sends_large_bodies_leaves_room_for_others) {
  endpoint().allow_bytes({.bodies = 1024, .unread = 1024});
  const io::HttpAccount greedy = account_of("greedy");
  EXPECT_FALSE(endpoint().take_room(io::HttpRoom::unread, greedy, 768)) << "another room";
  EXPECT_TRUE(endpoint().take_room(io::HttpRoom::unread, greedy, 1));
  EXPECT_EQ(status_of_body(greedy, 768), 0);
  EXPECT_EQ(status_of_body(greedy, 1), too_many);
  EXPECT_EQ(status_of_body(account_of("greedy"), 1), too_many) << "another request of it";
  for (int i = 0; i < 16; ++i) {
    const io::HttpAccount modest = account_of("modest-" + std::to_string(i));
    EXPECT_EQ(status_of_body(modest, 16), 0) << i;
    EXPECT_EQ(status_of_body(modest, 1), too_many) << i;
  }
  EXPECT_EQ(status_of_body(account_of(""), 1), unavailable) << "there is no rest";
  endpoint().give_room(io::HttpRoom::body, greedy, 768);
  EXPECT_EQ(status_of_body(account_of(""), 512), 0);
}

TEST_F(EndpointTest, those_who_are_not_known_have_little_room_together) {
  constexpr std::size_t little = std::size_t{16} << 20U;
  names.are_keys_away = true;
  const io::HttpAccount rotated = account_of("rotated");
  const auto health = endpoint().admit({.method = "POST", .target = "/healthz", .headers = {}}, {});
  ASSERT_TRUE(health);
  EXPECT_EQ(status_of_body(rotated, little), 0);
  EXPECT_EQ(status_of_body(*health, 1), unavailable);
  EXPECT_EQ(status_of_body(account_of("one"), little), 0);
}

TEST_F(EndpointTest, who_has_made_as_many_requests_as_it_may_comes_back_later) {
  const std::string session = session_of(begin("limited"));
  EXPECT_EQ(answered(call("limited", session, "s_echo"))->status, ok);
  const std::string notice = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(answered(post("limited", session, notice))->status, 202);
  }
  EXPECT_EQ(answered(call("limited", session, "s_echo"))->status, ok);
  const Client over = call("limited", session, "s_echo");
  EXPECT_EQ(over->status, too_many);
  EXPECT_THAT(over->said, HasSubstr("1 a minute and 3 at once, is reached"));
  EXPECT_NE(http::find_header(over->headers, "Retry-After"), "");
  EXPECT_EQ(open_stream("limited", session)->status, ok);
  EXPECT_THAT(get("", "/metrics")->said, HasSubstr("\npi_mcp_over_rate_total 1\n"));
  EXPECT_THAT(get("", "/metrics")->said, HasSubstr("\npi_mcp_streams 1\n"));
  const std::string other = session_of(begin("one"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(answered(call("one", other, "s_echo"))->status, ok);
  }
  EXPECT_EQ(rates.size(), 1U) << "who has no limit is not counted";
  rates.look_at_clock(io::now() + std::chrono::minutes(4));
  EXPECT_EQ(rates.size(), 0U) << "nor remembered for longer than it matters";
}

TEST_F(EndpointTest, a_rate_of_everybody_counts_for_each) {
  rates.limit_all({.count = 1, .period = Milliseconds(60'000), .burst = 1});
  for (const char* token : {"one", "two", ""}) {
    EXPECT_EQ(begin(token)->status, ok) << token;
    EXPECT_EQ(begin(token)->status, too_many) << token;
  }
  EXPECT_EQ(begin("limited")->status, ok);
  EXPECT_EQ(begin("limited")->status, ok) << "that one has its own";
  rates.limit_all({});
  EXPECT_EQ(begin("one")->status, ok);
}

TEST_F(EndpointTest, who_waits_for_keys_is_looked_at_when_they_have_come) {
  names.are_keys_away = true;
  const std::string body =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
      R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t"}}})";
  const Client client = post("rotated", "", body);
  endpoint().look_again();
  EXPECT_FALSE(client->is_over) << "there are none yet";
  EXPECT_EQ(begin("one")->status, ok) << "nobody else waits";
  names.are_keys_away = false;
  endpoint().look_again();
  EXPECT_EQ(answered(client)->status, ok);
}

TEST_F(EndpointTest, few_wait_for_keys_with_small_bodies_and_nobody_once_it_ends) {
  names.are_keys_away = true;
  EXPECT_EQ(refused({}), 0);
  EXPECT_EQ(refused({{.name = "Content-Length", .value = "262144"}}), 0);
  EXPECT_EQ(refused({{.name = "Content-Length", .value = "262145"}}), unavailable);
  EXPECT_EQ(refused({{.name = "Content-Length", .value = "x"}}), unavailable);
  EXPECT_EQ(refused({{.name = "Transfer-Encoding", .value = "chunked"}}), unavailable);
  std::vector<Client> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(post("rotated", "", "{}"));
    EXPECT_FALSE(clients.back()->is_over) << i;
  }
  EXPECT_EQ(refused({}), unavailable);
  EXPECT_EQ(post("rotated", "", "{}")->status, unavailable);
  endpoint().drain();
  for (const Client& client : clients) {
    EXPECT_EQ(client->status, unavailable);
  }
}

TEST_F(EndpointTest, metrics_are_for_the_user_and_for_a_token_that_has_nothing_else) {
  EXPECT_EQ(get("", "/metrics")->status, ok);
  EXPECT_EQ(get("reader", "/metrics")->status, ok);
  const Client nothing = get("one", "/metrics");
  EXPECT_EQ(nothing->status, 404);
  EXPECT_THAT(nothing->said, Not(HasSubstr("pi_mcp_")));
  EXPECT_EQ(begin("reader")->status, 404);
  EXPECT_EQ(get("reader", "/servers/s/mcp")->status, 404);
}

}  // namespace
}  // namespace pi_mcp::endpoint
