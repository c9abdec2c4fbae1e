#include "io/net/callback_listener.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/text.h"
#include "http/url.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"

namespace pi_mcp::io {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

constexpr auto awaited = asio::as_tuple(asio::use_awaitable);
constexpr Milliseconds connection_max{5'000};
constexpr Milliseconds page_max{1'000};

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '&':
        html += "&amp;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string answer_to(const CallbackPage& page) {
  const std::string body = "<!doctype html><meta charset=\"utf-8\"><title>" + escaped(page.title) +
                           "</title><h1>" + escaped(page.title) + "</h1><p>" + escaped(page.text) +
                           "</p>\n";
  constexpr int ok = 200;
  return "HTTP/1.1 " + std::to_string(page.status) + (page.status == ok ? " OK" : " Error") +
         "\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
         std::to_string(body.size()) +
         "\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
         "Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n" +
         body;
}

// The target of "GET /callback?code=x HTTP/1.1"; empty for anything else.
std::string_view target_of(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t end = line.rfind(" HTTP/1.");
  constexpr std::string_view method = "GET ";
  return line.starts_with(method) && end != std::string_view::npos && end > method.size()
             ? line.substr(method.size(), end - method.size())
             : std::string_view();
}

// The value of the only Host header; empty when there is none or more than one (RFC 9112, 3.2).
std::string_view host_of(std::string_view head) {
  std::string_view host;
  int count = 0;
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at)) {
    at += 2;
    const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && text::lower(line.substr(0, colon)) == "host") {
      host = text::trim(line.substr(colon + 1));
      ++count;
    }
  }
  return count == 1 ? host : std::string_view();
}

// A web page of another name that leads here (DNS rebinding) must not be able to speak for the
// browser.
bool is_our_name(std::string_view host, std::uint16_t port) {
  const Result<http::Url> url = http::parse_url("http://" + std::string(host));
  return url && url->user_info.empty() && url->target() == "/" &&
         http::is_loopback_host(url->host) && url->port == port;
}

// The head of one request; short of its end when the other side stops.
Task<Result<std::string>> read_head(Tcp::socket* socket) {
  std::string head;
  std::array<char, 2048> space{};
  while (head.find("\r\n\r\n") == std::string::npos &&
         head.size() < CallbackListener::request_bytes_max) {
    const auto [error, count] = co_await socket->async_read_some(asio::buffer(space), awaited);
    if (error) {
      co_return fail(ErrorCode::io, error.message());
    }
    head.append(space.data(), count);
  }
  co_return head;
}

}  // namespace

struct CallbackListener::State {
  State(const Executor& executor, Handler handle)
      : acceptor(executor), handler(std::move(handle)), written(executor), tasks(executor) {}

  Task<void> accept_all() {
    while (acceptor.is_open()) {
      auto [error, socket] = co_await acceptor.async_accept(awaited);
      const auto cancelled = co_await asio::this_coro::cancellation_state;
      if (is_cancelled(cancelled) || !acceptor.is_open()) {
        co_return;
      }
      if (!error) {
        make_room();
        const std::uint64_t number = ++accepted;
        auto shared = std::make_shared<Tcp::socket>(std::move(socket));
        waiting.emplace(number, shared);
        tasks.spawn("login callback", serve(std::move(shared), number), log_only);
      }
    }
  }

  // Whoever has waited longest without asking anything goes: a browser asks as soon as it is
  // connected, so nobody can shut it out, and nobody can use up our descriptors.
  void make_room() {
    if (waiting.size() >= connections_max) {
      boost::system::error_code ignored;
      waiting.begin()->second->close(ignored);  // its task ends with that
      waiting.erase(waiting.begin());
    }
  }

  Task<void> serve(std::shared_ptr<Tcp::socket> socket, std::uint64_t number) {
    // A connection that breaks is the browser's affair; it tries again.
    (void)co_await with_deadline(connection_max, "login callback", serve_one(socket.get(), number));
    waiting.erase(number);
  }

  [[nodiscard]] CallbackPage page_for(std::string_view head) const {
    const std::string_view target = target_of(head);
    boost::system::error_code error;
    const std::uint16_t port = acceptor.local_endpoint(error).port();
    if (target.empty()) {
      return {.status = 400, .title = "Bad request", .text = ""};
    }
    if (error || !is_our_name(host_of(head), port)) {
      return {.status = 400,
              .title = "Not this address",
              .text = "This page is for 127.0.0.1 and localhost alone."};
    }
    return handler(target);
  }

  Task<Result<void>> serve_one(Tcp::socket* socket, std::uint64_t number) {
    const Result<std::string> head = co_await read_head(socket);
    if (!head) {
      co_return fail(head.error());
    }
    waiting.erase(number);
    ++writing;
    const CallbackPage page = page_for(*head);
    const std::string answer = answer_to(page);
    (void)co_await asio::async_write(*socket, asio::buffer(answer), awaited);
    boost::system::error_code ignored;
    socket->shutdown(Tcp::socket::shutdown_send, ignored);
    --writing;
    written.notify_all();
    co_return Result<void>();
  }

  Tcp::acceptor acceptor;
  Handler handler;
  // Connections that have not asked anything yet, in the order they came.
  std::map<std::uint64_t, std::shared_ptr<Tcp::socket>> waiting;
  std::uint64_t accepted = 0;
  std::size_t writing = 0;  // pages on their way
  Condition written;
  TaskGroup tasks;
};

CallbackListener::CallbackListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
CallbackListener::~CallbackListener() = default;

Result<std::unique_ptr<CallbackListener>> CallbackListener::open(const Executor& executor,
                                                                 std::uint16_t port,
                                                                 Handler handler) {
  auto state = std::make_unique<State>(executor, std::move(handler));
  const Tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  boost::system::error_code error;
  const auto step = [&error](auto&& act) {
    if (!error) {
      act();
    }
  };
  step([&] { state->acceptor.open(endpoint.protocol(), error); });
  step([&] { state->acceptor.set_option(Tcp::acceptor::reuse_address(true), error); });
  step([&] { state->acceptor.bind(endpoint, error); });
  step([&] { state->acceptor.listen(static_cast<int>(connections_max), error); });
  if (error) {
    return fail(ErrorCode::io,
                "cannot listen on 127.0.0.1 port " + std::to_string(port) + ": " + error.message());
  }
  // A login that hears nothing ends by its own limit.
  state->tasks.spawn("login callback listener", state->accept_all(), log_only);
  return std::unique_ptr<CallbackListener>(new CallbackListener(std::move(state)));
}

std::uint16_t CallbackListener::port() const {
  boost::system::error_code error;
  return state_->acceptor.local_endpoint(error).port();
}

Task<void> CallbackListener::close() {
  boost::system::error_code ignored;
  state_->acceptor.close(ignored);
  const TimePoint deadline = now() + page_max;
  while (state_->writing > 0 && now() < deadline) {
    (void)co_await state_->written.wait_shielded(deadline);
  }
  state_->tasks.cancel();  // what is left are connections that ask nothing
  co_await state_->tasks.join();
}

}  // namespace pi_mcp::io
