#include "transport/http/message_exchange.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "mcp/methods.h"
#include "rpc/outgoing.h"
#include "transport/http/session.h"
#include "transport/http/stream_exchange.h"

namespace pi_mcp::transport {
namespace {

namespace method = mcp::method;

// Tries to take up a broken answer again with nothing new in between.
constexpr int resumes_max = 5;

// What a call may wait for the stream on which the server may ask back. Some servers send the head
// of its answer with the first event only.
constexpr Milliseconds stream_awaited_max{500};

// Whether the answer to a first request says that the url may speak HTTP+SSE instead.
bool may_be_older(int status) {
  return status == 404 || status == 405 || status == 406 || status == 415;
}

// Whether a refusal with 400 is that of a session. The specification wants 404, servers say much
// else: "Bad Request: No valid session ID provided" (SDK v1's examples), "Server not initialized",
// "Invalid session ID" (mcp-go). They all say it before they look at the call.
bool names_session(std::string_view words) {
  const std::string lower = text::lower(words);
  return lower.find("session") != std::string::npos || lower.find("initializ") != std::string::npos;
}

// The call itself was looked at: its arguments were not taken, or something broke.
bool is_of_the_call(const rpc::Message& failure, const rpc::Id& call) {
  const auto code = failure.error().find("code").as_int();
  return call.exists() && failure.id() == call &&
         (code == rpc::error_code::invalid_params || code == rpc::error_code::internal_error);
}

bool is_visible_ascii(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

HttpPost post_of(const rpc::Outgoing& message, rpc::Id call, std::string_view method) {
  HttpPost post;
  post.body = SharedText(message.flat());
  post.call = std::move(call);
  post.method = method;
  return post;
}

// Its id is a text, which those of the reader's own calls never are.
HttpPost handshake(const SharedText& params, int number) {
  const auto id = rpc::Id::from_json("\"session-" + std::to_string(number) + "\"");
  HttpPost post = post_of(rpc::request(id, method::initialize, params), id, method::initialize);
  post.params = params;
  return post;
}

}  // namespace

MessageExchange::MessageExchange(HttpSession* session, HttpPost post)
    : HttpExchange(session), post_(std::move(post)) {}

std::optional<HttpLimit> MessageExchange::limit() const {
  return post_.is_call()
             ? std::nullopt
             : std::optional(HttpLimit{.what = "a message", .time = session_->times.notice_max});
}

void MessageExchange::on_end(HttpEnd& end) {
  session_->waiting_bytes -= post_.body.size();
  if (post_.method == method::initialized) {
    session_->is_settling = false;
    if (!end.error && !is_older_) {
      session_->listen();
    }
  }
  if (complaint_ && end.error && end.error->code() != ErrorCode::cancelled &&
      end.error->code() != ErrorCode::unauthorized) {
    session_->is_older = false;
    end.error = complaint_;  // not such a server: what was said first counts
  }
}

// Asking.

HttpNext MessageExchange::go_on() {
  if (is_resuming_) {
    return session_->ask_events(last_event_id_);
  }
  if (has_to_wait()) {
    may_renew_ = may_renew_ && !session_->is_renewing;  // how that ends counts for it as well
    return HttpHold();
  }
  if (session_->is_older) {
    return go_on_older();
  }
  const std::optional<Error>& lost = session_->renewal_error;
  if (!lost || post_.is_stateless() || post_.method == method::initialize) {
    return awaits_stream() ? HttpNext(HttpHold{*stream_awaited_until_}) : post();
  }
  return may_renew_ && post_.is_call() ? renew(*lost)
                                       : end(Error(*lost).while_doing("the session was lost"));
}

bool MessageExchange::has_to_wait() const {
  return (session_->is_settling && post_.method != method::initialized) ||
         (session_->is_renewing && !post_.is_stateless());
}

// What a server asks before the stream is there reaches nobody, and its call never ends.
bool MessageExchange::awaits_stream() {
  if (!session_->is_opening || post_.method != method::tools_call || post_.is_stateless()) {
    return false;
  }
  stream_awaited_until_ = stream_awaited_until_.value_or(now_ + stream_awaited_max);
  return now_ < *stream_awaited_until_;
}

HttpNext MessageExchange::go_on_older() {
  is_older_ = true;
  if (!std::exchange(session_->has_older_stream, true)) {
    session_->started.push_back(std::make_shared<OlderStream>(session_));
  }
  if (session_->older_error) {
    return end(session_->older_error);
  }
  return session_->older_url.empty() ? HttpNext(HttpHold()) : post();
}

HttpAsk MessageExchange::post() {
  const std::string accept = "application/json, text/event-stream";
  is_resuming_ = false;
  HttpAsk ask;
  ask.method = "POST";
  ask.url = is_older_ ? session_->older_url : "";
  if (post_.is_stateless() && !is_older_) {
    ask.headers = post_.headers;
    ask.headers.push_back({.name = "Accept", .value = accept});
  } else {
    if (post_.method == method::initialize) {
      session_->id.clear();
      session_->protocol_version.clear();
      session_->renewal_error.reset();
    }
    sent_session_ = session_->id;
    ask.headers = session_->headers(accept);
  }
  ask.headers.push_back({.name = "Content-Type", .value = "application/json"});
  ask.body = post_.body;
  ask.may_repeat = post_.method != method::tools_call;
  return ask;
}

// Answers.

HttpNext MessageExchange::on_head(const http::Head& head) {
  const std::size_t bytes_max = session_->message_bytes_max;
  if (is_resuming_) {
    return answer_.is_event_stream() ? HttpNext(read_events(bytes_max)) : broken_off();
  }
  if (head.status < 200 || head.status >= 300) {
    return read_refusal();
  }
  const std::string_view session = head.find("mcp-session-id");
  if (post_.method == method::initialize && !is_older_ && is_visible_ascii(session)) {
    session_->id = session;
  }
  if (answer_.is_event_stream() && !is_older_) {
    return read_events(post_.method == method::subscriptions_listen ? 0 : bytes_max);
  }
  return post_.is_call() && !is_older_ ? HttpNext(read_text(bytes_max)) : on_answered();
}

HttpNext MessageExchange::on_text() {
  if (answer_.is_refusal) {
    return take_refusal();
  }
  if (answer_.type != "application/json" || answer_.status == 202) {
    return end(answer_.status == 200
                   ? complaint()
                   : session_->error(ErrorCode::protocol,
                                     "it took the request (status " +
                                         std::to_string(answer_.status) + ") and gave no answer"));
  }
  if (text::trim(answer_.text).empty()) {
    return end(session_->error(
        ErrorCode::protocol,
        "its answer is empty (status " + std::to_string(answer_.status) + ", application/json)"));
  }
  const Result<bool> is_answered = take_messages(std::move(answer_.text));
  if (!is_answered) {
    return end(is_answered.error());
  }
  return *is_answered
             ? on_answered()
             : end(session_->error(ErrorCode::protocol, "its answer belongs to another request"));
}

// The answer to our own handshake is not for the reader.
bool MessageExchange::take_message(rpc::Message message) {
  const bool is_answer = post_.is_call() && message.id() == post_.call && message.method().empty();
  if (is_answer && post_.method == method::initialize &&
      message.kind() == rpc::Message::Kind::result) {
    const std::string version = message.result().find("protocolVersion").string_or("");
    session_->protocol_version = is_visible_ascii(version) ? version : "";
    session_->initialize_params = post_.params;
  }
  if (post_.is_call() && message.kind() == rpc::Message::Kind::request) {
    message.arrived_during(post_.call);
  }
  if (!is_answer || call().exists()) {
    messages_.push_back(std::move(message));
  }
  return is_answer;
}

// Refusals.

HttpNext MessageExchange::take_refusal() {
  const Error why = complaint();
  if (is_older_ || is_busy_status(answer_.status)) {
    return end(why);
  }
  if (post_.is_stateless()) {
    return take_stateless_refusal(why);
  }
  const std::string said = words();
  auto message = rpc::Message::parse(std::move(answer_.text));
  const bool is_failure = message && message->kind() == rpc::Message::Kind::failure;
  const bool is_lost =
      answer_.status == 404 || (answer_.status == 400 && names_session(said) &&
                                !(is_failure && is_of_the_call(*message, post_.call)));
  if (is_lost && !sent_session_.empty()) {
    return renew(why);
  }
  if (post_.method == method::initialize &&
      (may_be_older(answer_.status) || (answer_.status == 400 && !is_failure))) {
    return fall_back(why);
  }
  if (is_failure && post_.is_call() && message->id() == post_.call) {
    take_message(*std::move(message));
    return end();
  }
  return end(why);
}

// A failure of the call also when the server does not repeat its id. Whatever else a server says to
// server/discover means that it does not know it, but for refused credentials and for trouble.
HttpNext MessageExchange::take_stateless_refusal(Error complaint) {
  const auto message = rpc::Message::parse(std::move(answer_.text));
  rpc::Outgoing failure;
  if (message && message->kind() == rpc::Message::Kind::failure) {
    const json::Value error = message->error();
    failure = rpc::failure(post_.call,
                           error.find("code").as_int().value_or(rpc::error_code::internal_error),
                           error.find("message").string_or(""),
                           error.find("data").raw());
  } else if (post_.method == method::server_discover && answer_.status >= 400 &&
             answer_.status < 500 && complaint.code() != ErrorCode::unauthorized) {
    failure = rpc::failure(post_.call, rpc::error_code::method_not_found, complaint.message());
  } else {
    return end(std::move(complaint));
  }
  auto answer = rpc::Message::parse(failure.flat());
  if (!answer) {
    return end(answer.error());
  }
  take_message(*std::move(answer));
  return end();
}

// The first request was refused in a way in which servers of 2024-11-05 refuse it.
HttpNext MessageExchange::fall_back(Error complaint) {
  if (!call().exists()) {
    return end(std::move(complaint));
  }
  const bool is_pinned = session_->kind != HttpKind::automatic;
  if (answer_.status != 404) {  // rather a wrong url
    complaint = Error(complaint.code(),
                      complaint.message() +
                          (is_pinned ? R"(; an older server needs "httpTransport": "sse")"
                                     : R"(; nor does it work as an older server ("type": "sse"))"));
  }
  if (is_pinned) {
    return end(std::move(complaint));
  }
  session_->is_older = true;
  complaint_ = std::move(complaint);
  return go_on_older();
}

// The server does not know the session any more.
HttpNext MessageExchange::renew(Error complaint) {
  if (!std::exchange(may_renew_, false)) {
    return end(call().exists() ? std::move(complaint).while_doing("the session was lost again")
                               : std::move(complaint));
  }
  if (!session_->is_renewing && (session_->renewal_error || session_->id == sent_session_)) {
    if (session_->initialize_params.empty()) {
      return end(
          Error(ErrorCode::unavailable, "the session was lost: there was no handshake before"));
    }
    session_->started.push_back(std::make_shared<Renewal>(session_));
  }
  return go_on();
}

// Events.

HttpEnd MessageExchange::broken_off() {
  return end(session_->error(ErrorCode::unavailable,
                             "the connection ended before the answer came; whether the call was "
                             "done is not known"));
}

HttpNext MessageExchange::on_events_over(std::optional<Error> why) {
  if (why && why->code() != ErrorCode::unavailable) {
    return end(std::move(why));
  }
  if (!post_.is_call()) {
    return end();
  }
  const std::string& newest = answer_.events->last_event_id();
  if (!newest.empty() && newest != last_event_id_) {
    last_event_id_ = newest;
    failures_ = 0;
  }
  if (last_event_id_.empty() || failures_ >= resumes_max || post_.is_stateless()) {
    return broken_off();
  }
  const HttpTimes& times = session_->times;
  const Milliseconds pause = answer_.events->retry().value_or(times.resume_after(failures_));
  ++failures_;
  is_resuming_ = true;
  return HttpPause{std::min(pause, times.resume_max)};
}

// Renewal.

Renewal::Renewal(HttpSession* session)
    : MessageExchange(session, handshake(session->initialize_params, ++session->renewals)) {
  may_renew_ = false;
  session_->is_renewing = true;
  session_->renewal_error.reset();
}

std::optional<HttpLimit> Renewal::limit() const {
  constexpr Milliseconds renewal_max{60'000};
  return HttpLimit{.what = "a new session", .time = renewal_max};
}

HttpNext Renewal::on_answered() {
  if (post_.method == method::initialize && !session_->protocol_version.empty()) {
    post_ = post_of(rpc::notification(method::initialized, {}), {}, method::initialized);
    return post();
  }
  return MessageExchange::on_answered();
}

// Lists may differ in a new session: whoever reads the messages is told to look.
void Renewal::on_end(HttpEnd& end) {
  if (!end.error && session_->protocol_version.empty()) {
    end.error = Error(ErrorCode::unavailable, "the server refused the handshake");
  }
  session_->is_renewing = false;
  session_->renewal_error = end.error;
  if (end.error) {
    return;
  }
  session_->listen();
  for (const std::string_view changed :
       {method::tools_list_changed, method::resources_list_changed, method::prompts_list_changed}) {
    auto message = rpc::Message::parse(rpc::notification(changed, {}).flat());
    if (message) {
      messages_.push_back(*std::move(message));
    }
  }
}

}  // namespace pi_mcp::transport
