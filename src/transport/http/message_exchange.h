// A message of ours and its answer, as JSON or as events. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/shared_text.h"
#include "transport/http/exchange.h"

namespace pi_mcp::transport {

// What is sent.
struct HttpPost {
  SharedText body;
  rpc::Id call;        // absent: it has no answer
  std::string method;  // empty for answers
  http::Headers headers;
  SharedText params;  // of initialize alone

  [[nodiscard]] bool is_call() const { return call.exists(); }
  [[nodiscard]] bool is_stateless() const { return !headers.empty(); }
};

// An answer that breaks off is resumed where the server gave it an id. A session that is lost is
// renewed once and the message sent again: a server that does not know the session has not run it.
class MessageExchange : public HttpExchange {
 public:
  MessageExchange(HttpSession* session, HttpPost post);

  [[nodiscard]] rpc::Id call() const override { return post_.call; }
  [[nodiscard]] std::optional<HttpLimit> limit() const override;

 protected:
  HttpNext go_on() override;
  HttpNext on_head(const http::Head& head) override;
  HttpNext on_text() override;
  HttpNext on_events_over(std::optional<Error> why) override;
  void on_end(HttpEnd& end) override;
  bool take_message(rpc::Message message) override;

  [[nodiscard]] virtual bool has_to_wait() const;
  bool awaits_stream();
  HttpAsk post();

  HttpPost post_;
  bool may_renew_ = true;  // a session that is lost

 private:
  HttpNext go_on_older();
  HttpNext take_refusal();
  HttpNext take_stateless_refusal(Error complaint);
  HttpNext renew(Error complaint);
  HttpNext fall_back(Error complaint);
  HttpEnd broken_off();

  std::string sent_session_;        // that the request named
  bool is_older_ = false;           // it goes to a server of HTTP+SSE
  std::optional<Error> complaint_;  // of Streamable HTTP, if it is not such a server either
  std::string last_event_id_;
  int failures_ = 0;
  bool is_resuming_ = false;  // what is asked is the rest of the events
  std::optional<TimePoint> stream_awaited_until_;
};

// Begins a session again in the place of a lost one.
class Renewal final : public MessageExchange {
 public:
  explicit Renewal(HttpSession* session);

  [[nodiscard]] rpc::Id call() const override { return {}; }
  [[nodiscard]] std::optional<HttpLimit> limit() const override;

 private:
  [[nodiscard]] bool has_to_wait() const override { return false; }
  HttpNext on_answered() override;
  void on_end(HttpEnd& end) override;
};

}  // namespace pi_mcp::transport
