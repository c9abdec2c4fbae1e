// A request over HTTP as a handler has it, whose answer a test reads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "io/net/http_server.h"

namespace pi_mcp::test {

class FakeExchange final : public io::HttpExchange {
 public:
  FakeExchange(http::RequestHead head, std::string body)
      : head_(std::move(head)), body_(std::move(body)) {}

  [[nodiscard]] const http::RequestHead& head() const override { return head_; }
  [[nodiscard]] const io::HttpPeer& peer() const override { return peer_; }
  [[nodiscard]] std::string take_body() override { return std::exchange(body_, {}); }
  void reply(io::HttpReply reply) override {
    status = reply.status;
    headers = std::move(reply.headers);
    said += reply.body;
    for (const SharedText& piece : reply.more) {
      said += piece.view();
    }
    is_over = true;
  }
  void begin(int begun_status, http::Headers begun_headers) override {
    status = begun_status;
    headers = std::move(begun_headers);
  }
  void write(SharedText piece) override { said += piece.view(); }
  void end() override { is_over = true; }
  [[nodiscard]] std::size_t queued() const override { return 0; }
  void when_gone(std::function<void()> gone) override { gone_ = std::move(gone); }

  // The client closes its connection.
  void hang_up() {
    if (const auto gone = std::exchange(gone_, nullptr)) {
      gone();
    }
  }

  int status = 0;
  http::Headers headers;
  std::string said;  // of the body, so far
  bool is_over = false;

 private:
  http::RequestHead head_;
  std::string body_;
  io::HttpPeer peer_{.address = "127.0.0.1", .is_unix = false, .is_here = true, .user = 0};
  std::function<void()> gone_;
};

}  // namespace pi_mcp::test
