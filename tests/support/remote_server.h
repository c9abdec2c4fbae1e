// A scripted MCP server behind HTTP: the name of the called tool says how it answers. Sessions,
// refusals and streams are as broken as a test asks for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "json/writer.h"
#include "rpc/message.h"
#include "support/http_peer.h"

namespace pi_mcp::test {

class RemoteServer {
 public:
  using Peer = std::shared_ptr<HttpPeer>;

  explicit RemoteServer(const io::Executor& executor)
      : script(executor, [this](Peer peer) { return serve(std::move(peer)); }),
        answered_(executor) {}

  // What it does instead of the usual; nullopt: the usual.
  std::function<std::optional<std::string>(const SeenRequest&)> instead;
  bool has_sessions = true;
  Milliseconds slow_for{1000};
  bool has_stream = false;  // for what it says by itself
  bool is_older = false;    // speaks HTTP+SSE alone
  // What those hear who name another session than the newest.
  std::string wrong_session = http_answer("404 Not Found", "", "no such session");
  std::string not_older = http_answer("405 Method Not Allowed", "", "");  // by a POST to the stream

  std::vector<SeenRequest> seen;
  int sessions = 0;
  int unnamed_sessions = 0;  // requests refused because they name none
  HttpScript script;

  // "initialize", "GET", "tools/call json" and so on, in the order of arrival.
  [[nodiscard]] std::vector<std::string> story() const {
    std::vector<std::string> words;
    for (const SeenRequest& request : seen) {
      const auto message = rpc::Message::parse(request.body);
      std::string word = request.method;
      if (message) {
        word = message->method();
        const std::string tool = message->params().find("name").string_or("");
        word += word == "tools/call" ? " " + tool : "";
      }
      words.push_back(std::move(word));
    }
    return words;
  }
  [[nodiscard]] const SeenRequest* find(const std::string& word) const {
    const auto words = story();
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == word) {
        return &seen[i];
      }
    }
    return nullptr;
  }
  // The server forgets its session, as after a restart.
  void forget() { session_.clear(); }

 private:
  static std::string result(const rpc::Message& message, const std::string& json) {
    return R"({"jsonrpc":"2.0","id":)" + message.id().json() + R"(,"result":)" + json + "}";
  }
  static std::string text_result(const rpc::Message& message, const std::string& text) {
    return result(message, R"({"content":[{"type":"text","text":)" + json::quoted(text) + "}]}");
  }
  static std::string event(const std::string& data, const std::string& more = "") {
    return more + "data: " + data + "\n\n";
  }
  static std::string stream_head() {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
  }
  static std::string json_answer(const std::string& body, const std::string& headers = "") {
    return http_answer("200 OK", headers + "Content-Type: application/json", body);
  }

  io::Task<void> serve(Peer peer) {
    bool goes_on = true;
    while (goes_on) {
      const auto request = co_await peer->read_request();
      if (!request) {
        co_return;
      }
      seen.push_back(*request);
      const auto other = instead ? instead(*request) : std::nullopt;
      if (other) {
        co_await peer->write(*other);
      } else {
        goes_on = co_await answer(peer, *request);
      }
    }
  }

  io::Task<bool> answer(Peer peer, SeenRequest request) {
    if (request.method == "GET") {
      co_return co_await stream(std::move(peer), std::move(request));
    }
    if (request.method == "DELETE") {
      co_return co_await peer->write(http_answer("200 OK", "", ""));
    }
    if (is_older) {
      co_return co_await answer_older(std::move(peer), std::move(request));
    }
    const auto message = rpc::Message::parse(request.body);
    if (!message) {
      co_return co_await peer->write(http_answer("400 Bad Request", "", "no message"));
    }
    if (message->method() == "initialize") {
      std::string session;
      if (has_sessions) {
        session_ = "session-" + std::to_string(++sessions);
        session = "Mcp-Session-Id: " + session_ + "\r\n";
      }
      co_return co_await peer->write(json_answer(initialize_result(*message), session));
    }
    if (message->method() == "server/discover") {  // its revision has no such method
      co_return co_await peer->write(
          json_answer(R"({"jsonrpc":"2.0","id":)" + message->id().json() +
                      R"(,"error":{"code":-32601,"message":"Method not found"}})"));
    }
    if (has_sessions && request.head.find("mcp-session-id") != session_) {
      unnamed_sessions += request.head.find("mcp-session-id").empty() ? 1 : 0;
      co_return co_await peer->write(wrong_session);
    }
    if (!message->id().exists() || message->method().empty()) {
      if (message->method().empty()) {
        answers_[message->id().json()] = std::string(message->result().raw());
        answered_.notify_all();
      }
      co_return co_await peer->write(http_answer("202 Accepted", "", ""));
    }
    if (message->method() == "tools/list") {
      co_return co_await peer->write(json_answer(result(*message, tools())));
    }
    co_return co_await call(std::move(peer), request.body);
  }

  static std::string initialize_result(const rpc::Message& message) {
    return result(message,
                  R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                  R"("serverInfo":{"name":"remote","version":"1"}})");
  }
  static std::string tools() {
    return R"({"tools":[{"name":"json","inputSchema":{"type":"object"}},)"
           R"({"name":"hang","inputSchema":{"type":"object"}},)"
           R"({"name":"ask","inputSchema":{"type":"object"}}]})";
  }

  io::Task<bool> call(Peer peer, std::string body) {
    const auto message = rpc::Message::parse(body);
    const std::string tool = message->params().find("name").string_or("");
    const std::string answer = text_result(*message, tool);
    if (tool == "json") {
      co_return co_await peer->write(json_answer(answer));
    }
    if (tool == "batch") {
      co_return co_await peer->write(json_answer("[" + notice() + "," + answer + "]"));
    }
    if (tool == "large") {
      co_return co_await peer->write(json_answer(text_result(*message, std::string(300'000, 'x'))));
    }
    if (tool == "slow_json") {
      const std::string whole = json_answer(text_result(*message, std::string(1000, 'x')));
      co_return co_await write_slowly(std::move(peer), whole);
    }
    if (tool == "large_head") {
      co_return co_await peer->write(
          json_answer(answer, "X-Large: " + std::string(100'000, 'x') + "\r\n"));
    }
    if (tool == "hang") {
      co_await peer->wait_gone();
      co_return false;
    }
    co_await peer->write(stream_head());
    if (tool == "slow_event") {
      const std::string whole = event(text_result(*message, std::string(1000, 'x')));
      co_return co_await write_slowly(std::move(peer), whole);
    }
    if (tool == "events") {
      co_await peer->write(": hello\n\n" + event(notice()) + event("no message") + event(answer));
    } else if (tool == "ask") {
      const std::string id = "\"of-" + message->id().json() + '"';
      co_await peer->write(event(R"({"jsonrpc":"2.0","id":)" + id +
                                 R"(,"method":"elicitation/create","params":{"message":"?"}})"));
      auto wake = io::Wake::notified;
      while (!answers_.contains(id) && wake == io::Wake::notified) {
        wake = co_await answered_.wait();
      }
      co_await peer->write(event(text_result(*message, answers_[id])));
    } else if (tool == "resume") {
      resumed_ = answer;
      co_await peer->write(event("", "id: e-1\nretry: 60\n"));
    } else if (tool == "endless_event") {
      while (co_await peer->write("data: " + std::string(100'000, 'x') + "\n")) {
      }
    } else if (tool == "endless_stream") {
      while (co_await peer->write(event(notice()))) {
      }
    } else if (tool == "drip") {
      io::Condition never(peer->executor());
      while (co_await peer->write(":\n")) {
        (void)co_await never.wait_until(io::now() + Milliseconds(5));
      }
    }  // "cut": nothing
    co_return false;
  }
  // Moves all the time, and takes longer than slow_for.
  io::Task<bool> write_slowly(Peer peer, std::string text) {
    io::Condition never(peer->executor());
    const std::size_t half = text.size() / 2;
    co_await peer->write(text.substr(0, half));
    std::size_t at = half;
    for (const TimePoint end = io::now() + slow_for; io::now() < end; ++at) {
      if (at + 1 == text.size() || !co_await peer->write(text.substr(at, 1))) {
        co_return false;  // nobody is there any more
      }
      (void)co_await never.wait_until(io::now() + slow_for / 200);
    }
    co_return co_await peer->write(text.substr(at));
  }
  static std::string notice() {
    return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":1}})";
  }

  io::Task<bool> stream(Peer peer, SeenRequest request) {
    if (is_older) {
      older_stream_ = peer;
      co_await peer->write(stream_head() + event("/messages?session=1", "event: endpoint\n"));
      co_await peer->wait_gone();
      co_return false;
    }
    if (request.head.find("last-event-id") == "e-1") {
      co_await peer->write(stream_head() + event(resumed_));
      co_return false;
    }
    if (!has_stream) {
      co_return co_await peer->write(http_answer("405 Method Not Allowed", "", ""));
    }
    co_await peer->write(stream_head() + event(notice()));
    co_await peer->wait_gone();
    co_return false;
  }

  io::Task<bool> answer_older(Peer peer, SeenRequest request) {
    if (!request.target.starts_with("/messages")) {
      co_return co_await peer->write(not_older);
    }
    const auto message = rpc::Message::parse(request.body);
    co_await peer->write(http_answer("202 Accepted", "", "Accepted"));
    std::string answer;
    if (message->method() == "initialize") {
      answer = initialize_result(*message);
    } else if (message->method() == "tools/list") {
      answer = result(*message, tools());
    } else if (message->method() == "tools/call") {
      answer = text_result(*message, "older");
    }
    if (message->params().find("name").string_or("") == "cut") {
      older_stream_->close();
    } else if (!answer.empty()) {
      co_await older_stream_->write(event(answer, "event: message\n"));
    }
    co_return true;
  }

  std::map<std::string, std::string> answers_;  // to what it asked, by JSON of the id
  io::Condition answered_;
  std::string session_;
  std::string resumed_;
  Peer older_stream_;
};

}  // namespace pi_mcp::test
