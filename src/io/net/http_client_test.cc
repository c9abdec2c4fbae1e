#include "io/net/http_client.h"

#include <chrono>

#include <boost/asio/this_coro.hpp>
#include <gtest/gtest.h>

#include "http/url.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"
#include "support/http_peer.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""ms;
using test::http_answer;
using test::HttpPeer;
using test::HttpScript;
using test::SeenRequest;

constexpr Milliseconds patience{20'000};
using Peer = std::shared_ptr<HttpPeer>;

// Runs `test` against a server that treats every connection with `connection`.
using Test = std::function<Task<int>(HttpScript*, HttpClient*)>;
Task<int> with_server(Executor executor,
                      HttpScript::Connection connection,
                      HttpClientOptions options,
                      Test test) {
  HttpScript script(executor, std::move(connection));
  HttpClient client(executor, std::move(options));
  const int done = co_await test(&script, &client);
  co_await script.close();
  co_return done;
}

void play(HttpScript::Connection connection, Test test, HttpClientOptions options = {}) {
  run([&](const Executor& executor) {
    return with_server(executor, std::move(connection), std::move(options), std::move(test));
  });
}

Task<Result<http::Answer>> get(HttpClient* client, std::string url) {
  http::Request request;
  request.url = std::move(url);
  co_return co_await client->fetch(std::move(request), patience, 1U << 20U);
}

Task<std::string> get_text(HttpClient* client, std::string url) {
  const auto answer = co_await get(client, std::move(url));
  co_return answer ? std::to_string(answer->head.status) + " " + answer->body
                   : answer.error().message();
}

// Answers every request with its own first line and chosen headers.
Task<void> echo(Peer peer) {
  while (const auto request = co_await peer->read_request()) {
    std::string text = request->method + " " + request->target + " " + request->body;
    for (const char* name : {"host", "x-test", "authorization", "content-length"}) {
      text += "|" + std::string(request->head.find(name));
    }
    co_await peer->write(http_answer("200 OK", "Content-Type: Text/Plain; charset=x", text));
  }
}

TEST(HttpClient, sends_a_request_and_reads_its_answer) {
  play(echo, [](HttpScript* script, HttpClient* client) -> Task<int> {
    http::Request request;
    request.method = "POST";
    request.url = script->url("/a?b=c");
    request.headers.push_back({.name = "X-Test", .value = "1"});
    request.body = "body";
    const auto answer = co_await client->fetch(std::move(request), patience, 1000);
    EXPECT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->head.status, 200);
    EXPECT_EQ(answer->head.content_type(), "text/plain");
    EXPECT_EQ(answer->body,
              "POST /a?b=c body|127.0.0.1:" + std::to_string(script->port()) + "|1||4");
    co_return 0;
  });
}

TEST(HttpClient, user_information_of_the_url_becomes_basic_credentials) {
  play(echo, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string url = "http://me:s%20p@127.0.0.1:" + std::to_string(script->port()) + "/";
    const std::string text = co_await get_text(client, url);
    EXPECT_NE(text.find("|Basic bWU6cyBw|"), std::string::npos) << text;
    co_return 0;
  });
}

TEST(HttpClient, one_connection_serves_many_requests) {
  play(echo, [](HttpScript* script, HttpClient* client) -> Task<int> {
    for (int i = 0; i < 3; ++i) {
      const std::string text = co_await get_text(client, script->url());
      EXPECT_EQ(text.substr(0, 9), "200 GET /");
    }
    EXPECT_EQ(script->accepted(), 1);
    EXPECT_EQ(client->idle_connections(), 1U);
    co_return 0;
  });
}

TEST(HttpClient, a_connection_that_the_server_closes_is_not_used_again) {
  const auto once = [](Peer peer) -> Task<void> {
    (void)co_await peer->read_request();
    co_await peer->write(http_answer("200 OK", "", "x"));
  };
  play(once, [](HttpScript* script, HttpClient* client) -> Task<int> {
    for (int i = 0; i < 3; ++i) {
      const std::string text = co_await get_text(client, script->url());
      EXPECT_EQ(text, "200 x");
      EXPECT_EQ(script->accepted(), i + 1);
    }
    co_return 0;
  });
}

// Takes one request on each connection, answers the first, and hangs up on the second.
Task<void> answer_one_read_two(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write(http_answer("200 OK", "", "x"));
  (void)co_await peer->read_request();
}

TEST(HttpClient, only_what_may_be_repeated_is_sent_again) {
  play(answer_one_read_two, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string first = co_await get_text(client, script->url());
    EXPECT_EQ(first, "200 x");
    const std::string second = co_await get_text(client, script->url());
    EXPECT_EQ(second,
              http::parse_url(script->url())->origin() +
                  ": the connection was closed before an answer came");
    EXPECT_EQ(script->accepted(), 1);
    const std::string third = co_await get_text(client, script->url());
    EXPECT_EQ(third, "200 x");
    http::Request request;
    request.url = script->url();
    request.may_repeat = true;
    const auto fourth = co_await client->fetch(std::move(request), patience, 1000);
    EXPECT_TRUE(fourth);
    EXPECT_EQ(script->accepted(), 3);
    co_return 0;
  });
}

// Writes the pieces one by one, in packets of their own.
Task<void> write_slowly(Peer peer, std::string bytes) {
  (void)co_await peer->read_request();
  for (const char byte : bytes) {
    co_await peer->write(std::string(1, byte));
    co_await boost::asio::post(peer->executor(), boost::asio::use_awaitable);
  }
  co_await peer->wait_gone();
}

Task<void> slow_chunks(Peer peer) {
  return write_slowly(std::move(peer),
                      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
                      "chunked\r\n\r\n4;x=y\r\nabcd\r\n1\r\ne\r\n0\r\nTrailer: x\r\n\r\n");
}

TEST(HttpClient, reads_chunked_answers_byte_by_byte_and_passes_over_interim_ones) {
  play(slow_chunks, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_EQ(text, "200 abcde");
    EXPECT_EQ(client->idle_connections(), 1U);
    co_return 0;
  });
}

constexpr int crowd = 32;

// Answers when all have asked.
Task<void> answer_together(Peer peer, std::shared_ptr<int> asked) {
  Condition never(peer->executor());
  while (co_await peer->read_request()) {
    for (++*asked; *asked < crowd;) {
      (void)co_await never.wait_until(now() + Milliseconds(1));
    }
    co_await peer->write(http_answer("200 OK", "", "x"));
  }
}

Task<void> get_into(HttpClient* client, std::string url, int* answers) {
  const std::string text = co_await get_text(client, std::move(url));
  *answers += text == "200 x" ? 1 : 0;
}

TEST(HttpClient, as_many_connections_are_kept_as_were_in_use) {
  const auto asked = std::make_shared<int>(0);
  play([asked](Peer peer) { return answer_together(std::move(peer), asked); },
       [](HttpScript* script, HttpClient* client) -> Task<int> {
         TaskGroup tasks(co_await boost::asio::this_coro::executor);
         int answers = 0;
         for (int i = 0; i < 2 * crowd; ++i) {
           tasks.spawn("get", get_into(client, script->url(), &answers), log_only);
           if (i + 1 == crowd) {
             co_await tasks.join();
             EXPECT_EQ(client->idle_connections(), std::size_t{crowd});
           }
         }
         co_await tasks.join();
         EXPECT_EQ(answers, 2 * crowd);
         EXPECT_EQ(script->accepted(), crowd);
         co_return 0;
       });
}

Task<void> until_close(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write("HTTP/1.0 200 OK\r\n\r\nall of it");
}

TEST(HttpClient, an_answer_without_length_ends_with_its_connection) {
  play(until_close, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_EQ(text, "200 all of it");
    EXPECT_EQ(client->idle_connections(), 0U);
    co_return 0;
  });
}

Task<void> cut_off(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
}

TEST(HttpClient, a_cut_answer_is_an_error_and_no_shorter_answer) {
  play(cut_off, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url("/secret?key=secret"));
    EXPECT_EQ(text,
              http::parse_url(script->url())->origin() +
                  ": the connection was closed in the middle of an answer");
    co_return 0;
  });
}

Task<void> endless_head(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write("HTTP/1.1 200 OK\r\n");
  while (co_await peer->write("X-Header: " + std::string(1000, 'x') + "\r\n")) {
  }
}

TEST(HttpClient, a_head_without_end_is_an_error) {
  play(endless_head, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_NE(text.find("the head of its answer is larger than 64.0KB"), std::string::npos) << text;
    co_return 0;
  });
}

Task<void> endless_body(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write("HTTP/1.1 200 OK\r\n\r\n");
  while (co_await peer->write(std::string(10000, 'x'))) {
  }
}

TEST(HttpClient, a_body_without_end_is_an_error_and_does_not_hold_up_the_loop) {
  play(endless_body, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_EQ(text, http::parse_url(script->url())->origin() + ": its answer is larger than 1.0MB");
    http::Request request;
    request.url = script->url();
    const auto late = co_await client->fetch(std::move(request), 50ms, std::size_t{1} << 40U);
    EXPECT_EQ(late.error().code(), ErrorCode::timed_out);
    co_return 0;
  });
}

Task<void> not_http(Peer peer) {
  co_await peer->write("SSH-2.0-OpenSSH_9.2\r\n");
  co_await peer->wait_gone();
}

Task<void> tls_alert(Peer peer) {
  (void)co_await peer->read_request();
  co_await peer->write(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  co_await peer->wait_gone();
}

TEST(HttpClient, other_protocols_are_named) {
  play(not_http, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_NE(text.find("its answer is not HTTP/1.1; is this the right port?"), std::string::npos)
        << text;
    const std::string https =
        co_await get_text(client, "https://127.0.0.1:" + std::to_string(script->port()));
    EXPECT_NE(https.find("it does not speak TLS there; is it an http:// address?"),
              std::string::npos)
        << https;
    co_return 0;
  });
  play(tls_alert, [](HttpScript* script, HttpClient* client) -> Task<int> {
    const std::string text = co_await get_text(client, script->url());
    EXPECT_NE(text.find("it speaks TLS there; is it an https:// address?"), std::string::npos)
        << text;
    co_return 0;
  });
}

Task<void> silent(Peer peer) {
  co_await peer->wait_gone();
}

TEST(HttpClient, waiting_for_an_answer_has_a_limit_and_can_be_cancelled) {
  play(silent, [](HttpScript* script, HttpClient* client) -> Task<int> {
    http::Request request;
    request.url = script->url();
    request.head_max = 20ms;
    const auto late = co_await client->send(std::move(request));
    EXPECT_EQ(late.error().code(), ErrorCode::timed_out);
    http::Request other;
    other.url = script->url();
    const auto cancelled = co_await with_deadline(20ms, "test", client->send(std::move(other)));
    EXPECT_EQ(cancelled.error().code(), ErrorCode::timed_out);
    EXPECT_EQ(client->idle_connections(), 0U);
    co_return 0;
  });
}

TEST(HttpClient, more_requests_than_connections_wait_their_turn) {
  HttpClientOptions options;
  options.connections_max = 1;
  play(
      echo,
      [](HttpScript* script, HttpClient* client) -> Task<int> {
        http::Request request;
        request.url = script->url();
        auto first = co_await client->send(request);
        EXPECT_TRUE(first);
        // The first answer was read whole with its head: its connection is free again.
        const std::string second = co_await get_text(client, script->url());
        EXPECT_EQ(second.substr(0, 3), "200");
        EXPECT_EQ(script->accepted(), 1);
        co_return 0;
      },
      options);
}

Task<void> refuses_early(Peer peer) {
  co_await peer->write(http_answer("413 Too Large", "Connection: close", "too large"));
  (void)co_await peer->read_request();
}

TEST(HttpClient, an_answer_that_comes_before_the_request_is_sent_is_read) {
  play(refuses_early, [](HttpScript* script, HttpClient* client) -> Task<int> {
    http::Request request;
    request.method = "POST";
    request.url = script->url();
    request.body = std::string(std::size_t{8} << 20U, 'x');
    const auto answer = co_await client->fetch(std::move(request), patience, 1000);
    EXPECT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(answer->head.status, 413);
    co_return 0;
  });
}

Task<int> nothing_there(Executor executor) {
  HttpClient client(executor, {});
  HttpScript script(executor, silent);
  const std::string url = script.url("/secret");
  co_await script.close();
  const std::string refused = co_await get_text(&client, url);
  EXPECT_NE(refused.find("nothing listens there (connection refused)"), std::string::npos)
      << refused;
  EXPECT_EQ(refused.find("secret"), std::string::npos);
  const std::string unknown = co_await get_text(&client, "http://no-such-host.invalid/secret");
  EXPECT_EQ(unknown.find("http://no-such-host.invalid: "), 0U) << unknown;
  const std::string bad = co_await get_text(&client, "ftp://secret");
  EXPECT_EQ(bad, "the url does not begin with http:// or https://");
  co_return 0;
}

TEST(HttpClient, says_why_there_is_no_connection) {
  run(nothing_there);
}

TEST(HttpClient, headers_with_line_breaks_are_not_sent) {
  play(echo, [](HttpScript* script, HttpClient* client) -> Task<int> {
    http::Request request;
    request.url = script->url();
    request.headers.push_back({.name = "X-A", .value = "secret\r\nX-B: 1"});
    const auto answer = co_await client->fetch(std::move(request), patience, 1000);
    EXPECT_EQ(answer.error().code(), ErrorCode::invalid_argument);
    EXPECT_NE(answer.error().message().find("X-A"), std::string::npos);
    EXPECT_EQ(answer.error().message().find("secret"), std::string::npos);
    EXPECT_EQ(script->accepted(), 0);
    co_return 0;
  });
}

// Plays a proxy: requests with absolute urls are echoed, tunnels refused.
Task<void> proxy(Peer peer) {
  while (const auto request = co_await peer->read_request()) {
    const bool is_tunnel = request->method == "CONNECT";
    std::string text = request->method + " " + request->target + " ";
    text += request->head.find("proxy-authorization");
    co_await peer->write(http_answer(is_tunnel ? "407 No" : "200 OK", "", text));
  }
}

TEST(HttpClient, goes_through_the_proxy_of_the_environment) {
  play(proxy, [](HttpScript* script, HttpClient*) -> Task<int> {
    HttpClientOptions options;
    options.environment["http_proxy"] =
        "http://me:secret@127.0.0.1:" + std::to_string(script->port());
    options.environment["HTTPS_PROXY"] = options.environment["http_proxy"];
    HttpClient client(co_await boost::asio::this_coro::executor, options);
    const std::string plain = co_await get_text(&client, "http://example.com/x?y");
    EXPECT_EQ(plain, "200 GET http://example.com/x?y Basic bWU6c2VjcmV0");
    const std::string tunnel = co_await get_text(&client, "https://example.com/x?y");
    EXPECT_EQ(
        tunnel,
        "https://example.com: the proxy " + http::parse_url(script->url())->origin() +
            " of HTTPS_PROXY refused with status 407; give it \"user:password@\" in its variable");
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::io
