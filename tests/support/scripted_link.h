// A Transport without a process: what the connection sends goes to a function of the test, which
// answers at once, later or never. For unit tests of servers/.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/loop/condition.h"
#include "transport/transport.h"

namespace pi_mcp::test {

class ScriptedLink final : public transport::Transport {
 public:
  // Called for every message that is sent.
  using Script = std::function<void(ScriptedLink& link, const rpc::Message& message)>;

  ScriptedLink(const io::Executor& executor, Script script)
      : script_(std::move(script)), arrived_(executor) {}

  // The server says something.
  void deliver(std::string line) {
    incoming_.push_back(std::move(line));
    arrived_.notify_all();
  }
  void answer(const rpc::Message& request, const std::string& result) {
    deliver(R"({"jsonrpc":"2.0","id":)" + request.id().json() + R"(,"result":)" + result + "}");
  }
  void answer_text(const rpc::Message& request, const std::string& text) {
    answer(request, R"({"content":[{"type":"text","text":")" + text + R"("}]})");
  }
  void end_with(std::string reason, std::string stderr_tail = "") {
    last_end = {.reason = std::move(reason), .stderr_tail = std::move(stderr_tail)};
    ended_ = true;
    arrived_.notify_all();
  }

  // Lines that were sent, oldest first.
  std::vector<std::string> sent;
  std::function<void()> on_sent;
  std::function<void()> on_closed;
  transport::LinkEnd last_end;
  transport::LinkCounters counted;
  int process = 0;
  std::string prepares;         // what it says it does before its start
  std::function<bool()> works;  // whether that goes on
  // The next read ends by an exception, as when the memory ends.
  void break_reading() {
    breaks_ = true;
    arrived_.notify_all();
  }

  // Not empty: nothing can be sent any more, for this reason, but nobody has noticed the end.
  std::string broken;
  // close() returns only when this is false; notify `arrived` by deliver().
  bool slow_to_close = false;

  boost::asio::awaitable<Result<rpc::Message>> receive() override {
    while (incoming_.empty() && !ended_ && !breaks_) {
      const io::Wake wake = co_await arrived_.wait();
      if (wake == io::Wake::cancelled) {
        co_return fail(ErrorCode::cancelled, "cancelled");
      }
    }
    if (breaks_) {
      throw std::bad_alloc();
    }
    if (incoming_.empty()) {
      co_return fail(ErrorCode::unavailable, last_end.reason);
    }
    std::string line = std::move(incoming_.front());
    incoming_.pop_front();
    co_return rpc::Message::parse(std::move(line));
  }

  Result<void> send(rpc::Outgoing message) override {
    if (ended_ || !broken.empty()) {
      return fail(ErrorCode::io, ended_ ? "the link is closed" : broken);
    }
    sent.push_back(message.flat());
    const Result<rpc::Message> parsed = rpc::Message::parse(sent.back());
    if (parsed && script_) {
      script_(*this, *parsed);
    }
    if (on_sent) {
      on_sent();
    }
    return {};
  }

  boost::asio::awaitable<Result<void>> drain(std::size_t) override { co_return Result<void>(); }

  boost::asio::awaitable<void> close() override {
    if (!ended_) {
      end_with("closed");
      if (on_closed) {
        on_closed();
      }
    }
    while (slow_to_close) {
      (void)co_await arrived_.wait();  // the test decides when
    }
  }

  [[nodiscard]] transport::LinkEnd end() const override { return last_end; }
  [[nodiscard]] transport::LinkCounters counters() const override { return counted; }
  [[nodiscard]] int process_id() const override { return process; }
  [[nodiscard]] std::string preparation() override { return prepares; }
  [[nodiscard]] std::uint64_t work() const override {
    work_ += works && works() ? 1 : 0;
    return work_;
  }

  // How many sent lines contain `text`.
  [[nodiscard]] std::size_t count_sent(const std::string& text) const {
    return static_cast<std::size_t>(
        std::count_if(sent.begin(), sent.end(), [&text](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }

 private:
  Script script_;
  mutable std::uint64_t work_ = 0;
  std::deque<std::string> incoming_;
  io::Condition arrived_;
  bool ended_ = false;
  bool breaks_ = false;
};

// Answers the handshake and the lists of a server with the tools `echo` and `add`; other requests
// go to `rest`.
inline ScriptedLink::Script well_behaved(
    ScriptedLink::Script rest = {},
    std::string capabilities = R"({"tools":{"listChanged":true}})") {
  return [rest = std::move(rest), capabilities = std::move(capabilities)](
             ScriptedLink& link, const rpc::Message& message) {
    if (message.method() == "initialize") {
      link.answer(message,
                  R"({"protocolVersion":"2025-06-18","capabilities":)" + capabilities +
                      R"(,"serverInfo":{"name":"scripted","version":"3"},"instructions":"hi"})");
    } else if (message.method() == "tools/list") {
      link.answer(message, R"({"tools":[{"name":"echo"},{"name":"add"}]})");
    } else if (message.method() == "resources/templates/list") {
      link.answer(message, R"({"resourceTemplates":[]})");
    } else if (message.method() == "resources/list") {
      link.answer(message, R"({"resources":[{"uri":"demo://r"}]})");
    } else if (message.method() == "prompts/list") {
      link.answer(message, R"({"prompts":[{"name":"p"}]})");
    } else if (rest && message.kind() == rpc::Message::Kind::request) {
      rest(link, message);
    }
  };
}

}  // namespace pi_mcp::test
