// The client side of MCP over HTTP, by the transcripts of tests/transcripts/http. Inputs:
//
//   options kind=sse bytes=200     before anything else; shows=parts; credentials: it has its own
//   handshake                      initialize and all that belongs to it, exchanges 1 to 3
//   send {...}                     a message of ours; "send [Mcp-Method: x] {...}" gives it headers
//   1 status 200 | Name: value     the head of the answer to what exchange 1 has asked
//   1 body data: ...\n             bytes of it
//   1 over                         its end
//   1 breaks unavailable: why      asking or reading failed
//   1 waited                       its pause is over
//   1 credentials again            or "no", or an error: what they say to a refusal
//   1 aborted timed_out: why       by whoever runs it
//   31 s pass
//   close
#include "transport/http/session.h"

#include <algorithm>
#include <array>
#include <deque>

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/transcript.h"
#include "transport/http/exchange.h"

namespace pi_mcp::transport {
namespace {

constexpr std::array<std::pair<std::string_view, ErrorCode>, 5> error_names{{
    {"cancelled", ErrorCode::cancelled},
    {"protocol", ErrorCode::protocol},
    {"timed_out", ErrorCode::timed_out},
    {"unauthorized", ErrorCode::unauthorized},
    {"unavailable", ErrorCode::unavailable},
}};

std::string shown(const Error& error) {
  for (const auto& [name, code] : error_names) {
    if (code == error.code()) {
      return std::string(name) + ": " + error.message();
    }
  }
  return "?: " + error.message();
}

// "unavailable: why"
Error error_of(std::string_view text) {
  const std::size_t colon = text.find(": ");
  for (const auto& [name, code] : error_names) {
    if (name == text.substr(0, colon)) {
      return {code, std::string(text.substr(colon + 2))};
    }
  }
  ADD_FAILURE() << "not an error: " << text;
  return {ErrorCode::io, ""};
}

http::Header header_of(std::string_view text) {
  const std::size_t colon = text.find(": ");
  return {.name = std::string(text.substr(0, colon)), .value = std::string(text.substr(colon + 2))};
}

// "200 | Name: value | Name: value"
http::Head head_of(std::string_view text) {
  http::Head head;
  head.status = std::stoi(std::string(text));
  for (std::size_t bar = text.find(" | "); bar != std::string_view::npos;) {
    text.remove_prefix(bar + 3);
    bar = text.find(" | ");
    head.headers.push_back(header_of(text.substr(0, bar)));
  }
  return head;
}

std::string with_line_breaks(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text.substr(i, 2) == "\\n";
    bytes += is_escape ? '\n' : text[i];
    i += is_escape ? 1 : 0;
  }
  return bytes;
}

constexpr std::array<std::string_view, 7> handshake{
    R"(send {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"v":1}})",
    "1 status 200 | Content-Type: application/json | Mcp-Session-Id: s-1",
    R"(1 body {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}})",
    "1 over",
    R"(send {"jsonrpc":"2.0","method":"notifications/initialized"})",
    "2 status 202",
    "3 status 405"};

// Runs a session as HttpTransport and HttpEndpoint do, but that the answers are the transcript's.
class Script {
 public:
  Script() {
    session_.url = *http::parse_url("https://far.example/mcp");
    session_.message_bytes_max = 1000;
  }

  std::vector<std::string> take(std::string_view line) {
    said_.clear();
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    std::string_view rest = space == std::string_view::npos ? "" : line.substr(space + 1);
    if (word == "options") {
      set_options(rest);
    } else if (word == "handshake") {
      for (const std::string_view each : handshake) {
        take(each);
      }
      return {"3 was refused: the server says nothing by itself"};
    } else if (word == "send") {
      send(rest);
    } else if (rest == "s pass") {
      now_ += std::chrono::seconds(std::stoi(std::string(word)));
    } else if (word == "close") {
      const std::optional<HttpAsk> goodbye = session_.goodbye();
      say("goodbye", goodbye ? shown(*goodbye) : "is not said");
    } else {
      const std::size_t end = rest.find(' ');
      answer(exchanges_.at(std::stoul(std::string(word)) - 1),
             rest.substr(0, end),
             end == std::string_view::npos ? "" : rest.substr(end + 1));
    }
    return std::move(said_);
  }

 private:
  struct Running {
    std::size_t number = 0;
    std::shared_ptr<HttpExchange> exchange;
    std::optional<HttpAsk> ask;
    std::optional<HttpAttempts> attempts;
    http::Head refusal;
    bool holds = false;
    bool has_ended = false;
  };

  void say(const std::string& who, const std::string& what) { said_.push_back(who + " " + what); }
  void say(const Running& running, const std::string& what) {
    say(std::to_string(running.number), what);
  }

  void set_options(std::string_view text) {
    if (text.find("kind=sse") != std::string_view::npos) {
      session_.kind = HttpKind::sse;
      session_.is_older = true;
    } else if (text.find("kind=streamable_http") != std::string_view::npos) {
      session_.kind = HttpKind::streamable_http;
    }
    if (const std::size_t at = text.find("bytes="); at != std::string_view::npos) {
      session_.message_bytes_max = std::stoul(std::string(text.substr(at + 6)));
    }
    session_.has_credentials = text.find("credentials") != std::string_view::npos;
    shows_parts_ = text.find("shows=parts") != std::string_view::npos;
  }

  void send(std::string_view text) {
    http::Headers headers;
    if (text.starts_with('[')) {
      headers.push_back(header_of(text.substr(1, text.find(']') - 1)));
      text.remove_prefix(text.find(']') + 2);
    }
    const SharedText body{std::string(text)};
    const auto message = rpc::Message::parse(body);
    ASSERT_TRUE(message) << text;
    const auto cancelled = session_.send(*message, body, std::move(headers));
    for (Running& each : exchanges_) {
      if (cancelled && !each.has_ended && each.exchange->call() == *cancelled) {
        abort(each, Error(ErrorCode::cancelled, "cancelled"));
      }
    }
    begin_started();
  }

  void begin_started() {
    for (auto& exchange : std::exchange(session_.started, {})) {
      exchanges_.push_back({.number = exchanges_.size() + 1,
                            .exchange = std::move(exchange),
                            .ask = {},
                            .attempts = {},
                            .refusal = {},
                            .holds = false,
                            .has_ended = false});
      Running& begun = exchanges_.back();
      const auto limit = begun.exchange->limit();
      if (limit) {
        say(begun, "begins, for " + std::to_string(limit->time.count()) + " ms: " + limit->what);
      }
      step(begun, HttpGoOn());
    }
  }

  void answer(Running& running, std::string_view what, std::string_view text) {
    if ((what == "waited" && running.ask) || (what == "credentials" && text == "again")) {
      say(running, "asks again");
    } else if (what == "status") {
      take_head(running, head_of(text));
    } else if (what == "body") {
      const std::string bytes = with_line_breaks(text);
      step(running, std::string_view(bytes));
    } else if (what == "over") {
      step(running, std::string_view());
    } else if (what == "aborted") {
      abort(running, error_of(text));
      begin_started();
    } else if (what == "waited") {
      step(running, HttpGoOn());
    } else if (what == "credentials" && text == "no") {
      step(running, running.refusal);
    } else if (what == "breaks" || what == "credentials") {
      step(running, error_of(text));
    } else {
      ADD_FAILURE() << "not an input: " << what;
    }
  }

  void take_head(Running& running, const http::Head& head) {
    const Result<HttpAttempts::Next> next =
        running.attempts->take(head, EpochMs{1'700'000'000'000});
    if (!next) {
      step(running, next.error());
    } else if (std::holds_alternative<HttpAttempts::Redirect>(*next)) {
      say(running, "asks again at " + running.attempts->to().text());
    } else if (const auto* pause = std::get_if<Milliseconds>(&*next)) {
      say(running, "waits " + std::to_string(pause->count()) + " ms");
    } else if (const auto* refusal = std::get_if<Refusal>(&*next)) {
      running.refusal = head;
      say(running,
          "asks for credentials: " + std::to_string(refusal->status) + ", attempt " +
              std::to_string(refusal->attempt));
      for (const std::string& challenge : refusal->challenges) {
        say(running, "  " + challenge);
      }
    } else {
      step(running, head);
    }
  }

  void abort(Running& running, Error why) {
    running.has_ended = true;
    running.holds = false;
    say(running, shown(running.exchange->abort(std::move(why))));
    wake();
  }

  void step(Running& running, HttpInput input) {
    HttpStep step = running.exchange->take(std::move(input), now_);
    if (shows_parts_ && step.is_part) {
      say(running, "has a part of an answer to " + running.exchange->call().json());
    }
    for (const rpc::Message& message : step.messages) {
      const std::string during =
          message.during().exists() ? " during " + message.during().json() : "";
      std::string json(message.root().raw());
      std::replace(json.begin(), json.end(), '\n', ' ');
      say(running, "delivers" + during + " " + json);
    }
    const bool held = std::exchange(running.holds, std::holds_alternative<HttpHold>(step.next));
    running.has_ended = std::holds_alternative<HttpEnd>(step.next);
    running.ask.reset();
    if (auto* const ask = std::get_if<HttpAsk>(&step.next)) {
      running.ask = *ask;
      const http::Url to =
          ask->url.empty() ? session_.url : *http::join_url(session_.url, ask->url);
      running.attempts.emplace(to, session_.times.retry_after_max);
    }
    if (!running.holds || !held) {
      say(running, std::visit([](const auto& next) { return shown(next); }, step.next));
    }
    const bool wakes = !running.holds;
    begin_started();
    if (wakes) {
      wake();
    }
  }

  void wake() {
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      if (exchanges_[i].holds) {
        step(exchanges_[i], HttpGoOn());
      }
    }
  }

  // What every request has is left out.
  static std::string shown(const HttpAsk& ask) {
    std::string text = ask.method + (ask.url.empty() ? "" : " to " + ask.url);
    for (const http::Header& header : ask.headers) {
      const bool is_usual =
          header.name == "Content-Type" ||
          (header.name == "Accept" &&
           header.value ==
               (ask.method == "GET" ? "text/event-stream" : "application/json, text/event-stream"));
      text += is_usual ? "" : " [" + header.name + ": " + header.value + "]";
    }
    text += ask.may_repeat ? "" : " once";
    return ask.body.empty() ? text : text + " " + std::string(ask.body.view());
  }
  static std::string shown(const HttpRead& /*read*/) { return "reads"; }
  static std::string shown(const HttpHold& hold) {
    return hold.until == TimePoint::max() ? "holds" : "holds for the stream";
  }
  static std::string shown(const HttpPause& pause) {
    return "waits " + std::to_string(pause.time.count()) + " ms";
  }
  static std::string shown(const HttpEnd& end) {
    std::string text = end.error ? "fails, " + transport::shown(*end.error) : "ends";
    text += end.reads_rest ? ", reads the rest" : "";
    return text + (end.ends_link ? ", and the link ends" : "");
  }

  HttpSession session_;
  TimePoint now_;
  std::deque<Running> exchanges_;
  std::vector<std::string> said_;
  bool shows_parts_ = false;
};

class HttpTranscripts : public testing::TestWithParam<std::string> {};

TEST_P(HttpTranscripts, is_what_happens) {
  Script script;
  test::play_transcript(
      "http", GetParam(), [&script](std::string_view input) { return script.take(input); });
}

INSTANTIATE_TEST_SUITE_P(All,
                         HttpTranscripts,
                         testing::ValuesIn(test::transcripts("http")),
                         [](const auto& name) { return test::transcript_test_name(name.param); });

}  // namespace
}  // namespace pi_mcp::transport
