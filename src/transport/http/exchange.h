// One exchange with a server behind a url, as a state machine: a message and its answer, or a
// stream for what the server says by itself. It takes inputs and says in steps what is done next,
// until it ends. Pure: no I/O, no clock; http_transport.cc runs it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/sse_parser.h"
#include "rpc/message.h"
#include "transport/http/attempts.h"

namespace pi_mcp::transport {

struct HttpSession;

struct HttpGoOn {};  // it begins, or its hold or pause is over
// Besides: the head of the answer to what was asked; the next bytes of its body, empty at the end;
// why asking or reading failed.
using HttpInput = std::variant<HttpGoOn, http::Head, std::string_view, Error>;

struct HttpRead {};  // more of the body
struct HttpHold {    // goes on when another exchange has gone on, or at this time
  TimePoint until = TimePoint::max();
};
struct HttpPause {  // goes on after this time
  Milliseconds time;
};
struct HttpEnd {
  std::optional<Error> error;  // it has failed; servers may repeat in it what they were sent
  bool reads_rest = false;     // the body is worth reading to its end, to keep the connection
  bool ends_link = false;      // nothing will come any more, for the reason in `error`
};
using HttpNext = std::variant<HttpAsk, HttpRead, HttpHold, HttpPause, HttpEnd>;

struct HttpStep {
  std::vector<rpc::Message> messages;  // that have come for the reader; before anything else
  bool is_part = false;  // a part of the answer to call() has come, or of whatever comes next
  HttpNext next;
};

struct HttpLimit {
  std::string what;  // for the error that says so
  Milliseconds time;
};

class HttpExchange {
 public:
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;
  HttpExchange(HttpExchange&&) = delete;
  HttpExchange& operator=(HttpExchange&&) = delete;
  virtual ~HttpExchange() = default;

  // The call whose answer it fetches; absent: nobody waits for one.
  [[nodiscard]] virtual rpc::Id call() const { return {}; }
  // It is aborted after this; absent: calls are cancelled, streams go on.
  [[nodiscard]] virtual std::optional<HttpLimit> limit() const { return std::nullopt; }

  HttpStep take(HttpInput input, TimePoint now);
  // It was cancelled, took too long or came to grief. Nothing happens when it has ended already.
  HttpEnd abort(Error why);

 protected:
  explicit HttpExchange(HttpSession* session) : session_(session) {}

  virtual HttpNext go_on() = 0;
  virtual HttpNext on_head(const http::Head& head) = 0;
  // The whole body is in answer_.text.
  virtual HttpNext on_text() { return end(complaint()); }
  // Asking failed, or reading the text.
  virtual HttpNext on_error(Error error) { return end(std::move(error)); }
  // Whether what comes is the answer to a call.
  [[nodiscard]] virtual bool has_answers() const { return call().exists(); }
  // Nothing: the events go on.
  virtual std::optional<HttpNext> on_event(http::SseEvent event);
  // The events have ended, or cannot be read on.
  virtual HttpNext on_events_over(std::optional<Error> why) = 0;
  // Whether it is the answer to what was asked.
  virtual bool take_message(rpc::Message message);
  virtual HttpNext on_answered();
  // What the end means for others; it may change what is said of it.
  virtual void on_end(HttpEnd& /*end*/) {}

  // How the body is read. A refusal that is too long or breaks off is an empty text: its status
  // says enough. 0: events without end.
  HttpRead read_text(std::size_t bytes_max);
  HttpRead read_refusal();
  HttpRead read_events(std::size_t bytes_max);
  HttpEnd end(std::optional<Error> error = std::nullopt);
  // The messages in a text, a list of them too as servers of 2025-03-26 may send. Whether the
  // answer is among them. protocol: one is not a message.
  Result<bool> take_messages(std::string text);
  // One sentence on an answer that we cannot use.
  [[nodiscard]] Error complaint() const;
  // What the server says of its refusal, in one line: the text of a JSON-RPC error, an OAuth error
  // or the like, or the first line of a plain text. Empty: nothing to show.
  [[nodiscard]] std::string words() const;

  // The answer under way.
  struct Answer {
    int status = 0;
    std::string type;
    std::string packing;      // Content-Encoding, which nothing here unpacks; empty: none
    std::string retry_after;  // as the server writes it
    bool has_challenge = false;
    bool is_refusal = false;
    bool is_over = false;
    std::string text;
    std::optional<http::SseParser> events;
    std::size_t bytes = 0;
    std::size_t bytes_max = 0;
    [[nodiscard]] bool is_event_stream() const {
      return status == 200 && type == "text/event-stream";
    }
  };

  HttpSession* session_;
  Answer answer_;
  std::vector<rpc::Message> messages_;  // for the next step
  TimePoint now_;

 private:
  HttpNext take_text(std::string_view bytes);
  HttpNext take_events(std::string_view bytes);
  HttpNext take_error(Error error);

  bool has_ended_ = false;
};

}  // namespace pi_mcp::transport
