// Event streams for what the server says by itself. Pure.
#pragma once

#include <optional>
#include <string>

#include "transport/http/exchange.h"

namespace pi_mcp::transport {

// Beside the answers of a session. It is opened again whenever it ends, until the server refuses or
// the next session has one of its own.
class Listening final : public HttpExchange {
 public:
  explicit Listening(HttpSession* session) : HttpExchange(session) {}

 private:
  HttpNext go_on() override;
  HttpNext on_head(const http::Head& head) override;
  HttpNext on_error(Error error) override;
  HttpNext on_events_over(std::optional<Error> why) override;
  void on_end(HttpEnd& end) override;
  HttpNext again();
  void opened();
  [[nodiscard]] bool is_current() const;

  TimePoint began_;
  std::string last_event_id_;
  std::optional<Milliseconds> retry_;
  int failures_ = 0;
};

// All that a server of HTTP+SSE says. Its end is the end of the link.
class OlderStream final : public HttpExchange {
 public:
  explicit OlderStream(HttpSession* session) : HttpExchange(session) {}

 private:
  HttpNext go_on() override;
  HttpNext on_head(const http::Head& head) override;
  [[nodiscard]] bool has_answers() const override { return true; }
  std::optional<HttpNext> on_event(http::SseEvent event) override;
  HttpNext on_events_over(std::optional<Error> why) override;
  void on_end(HttpEnd& end) override;
};

}  // namespace pi_mcp::transport
