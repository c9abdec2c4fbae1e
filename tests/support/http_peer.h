// An HTTP server that does exactly what a test writes: each connection is one coroutine that reads
// requests and writes bytes, as broken as the test wants them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/message.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "support/peer_script.h"

namespace pi_mcp::test {

// A request as it arrived; `head` keeps the first line's target in `target`.
struct SeenRequest {
  std::string method;
  std::string target;
  http::Head head;
  std::string body;
};

// One connection of a client.
class HttpPeer : public BytePeer {
 public:
  using BytePeer::BytePeer;

  // The next request with a whole body; nullopt when the client has gone.
  io::Task<std::optional<SeenRequest>> read_request() {
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!co_await read_more()) {
        co_return std::nullopt;
      }
    }
    SeenRequest request = parse(unread_.substr(0, end));
    unread_.erase(0, end + 4);
    const std::string length(request.head.find("content-length"));
    const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
    while (unread_.size() < bytes) {
      if (!co_await read_more()) {
        co_return std::nullopt;
      }
    }
    request.body = unread_.substr(0, bytes);
    unread_.erase(0, bytes);
    co_return request;
  }

  // Waits until the client has gone.
  io::Task<void> wait_gone() {
    while (co_await read_more()) {
    }
  }

 private:
  io::Task<bool> read_more() {
    const std::optional<std::string> bytes = co_await read();
    unread_.append(bytes.value_or(""));
    co_return bytes.has_value();
  }

  static SeenRequest parse(const std::string& text) {
    SeenRequest request;
    const auto lines = text::split(text, '\n');
    const auto words = text::words(lines.at(0));
    request.method = std::string(words.at(0));
    request.target = std::string(words.at(1));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::size_t colon = lines[i].find(':');
      request.head.headers.push_back(
          {.name = std::string(lines[i].substr(0, colon)),
           .value = std::string(text::trim(lines[i].substr(colon + 1)))});
    }
    return request;
  }

  std::string unread_;
};

// "HTTP/1.1 200 OK" and the rest, with a Content-Length.
inline std::string http_answer(const std::string& status,
                               const std::string& headers,
                               const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + (headers.empty() ? "" : "\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

using HttpScript = PeerScript<HttpPeer>;

}  // namespace pi_mcp::test
