#include "transport/http/streamable_http.h"

#include <algorithm>
#include <utility>

#include "io/loop/sleep.h"
#include "io/loop/with_deadline.h"
#include "json/document.h"
#include "rpc/outgoing.h"

namespace pi_mcp::transport {
namespace {

constexpr int status_ok = 200;
constexpr int status_accepted = 202;
constexpr int status_redirect = 300;
constexpr int status_bad_request = 400;
constexpr int status_not_found = 404;
constexpr int status_not_allowed = 405;
constexpr int status_not_acceptable = 406;
constexpr int status_unsupported = 415;
constexpr int status_server_error = 500;

constexpr std::size_t refusal_bytes_max = std::size_t{64} << 10U;
// Tries to take up a broken answer again with nothing new in between.
constexpr int resumes_max = 5;
// What a server may still send after the answer before we hang up; so the connection can be kept.
constexpr Milliseconds after_answer_max{1000};

bool is_success(int status) {
  return status >= status_ok && status < status_redirect;
}

// What the reference adapter also takes for a lost session; its server says it before it looks at
// the call.
bool says_not_initialized(const rpc::Message& message) {
  constexpr std::int64_t server_error = -32000;
  const std::string text = message.error().find("message").string_or("");
  return message.error().find("code").as_int() == server_error &&
         (text == "Server not initialized" || text == "Bad Request: Server not initialized");
}

bool is_visible_ascii(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

tl::unexpected<Error> lost(const HttpEndpoint& endpoint) {
  return fail(ErrorCode::unavailable,
              endpoint.url().origin() +
                  ": the connection ended before the answer came; whether the call was done is not "
                  "known");
}

}  // namespace

bool may_be_older(int status) {
  return status == status_not_found || status == status_not_allowed ||
         status == status_not_acceptable || status == status_unsupported;
}

StreamableHttp::StreamableHttp(const io::Executor& executor,
                               HttpEndpoint* endpoint,
                               HttpInbox* inbox,
                               io::TaskGroup* tasks)
    : endpoint_(endpoint), inbox_(inbox), tasks_(tasks), renewed_(executor) {}

http::Headers StreamableHttp::headers(std::string_view accept) const {
  http::Headers headers{{.name = "Accept", .value = std::string(accept)}};
  if (!session_id_.empty()) {
    headers.push_back({.name = "Mcp-Session-Id", .value = session_id_});
  }
  if (!protocol_version_.empty()) {
    headers.push_back({.name = "MCP-Protocol-Version", .value = protocol_version_});
  }
  return headers;
}

http::Headers StreamableHttp::post_headers(const HttpPost& post) const {
  constexpr std::string_view accept = "application/json, text/event-stream";
  http::Headers all = post.headers;
  if (post.is_stateless()) {
    all.push_back({.name = "Accept", .value = std::string(accept)});
  } else {
    all = headers(accept);
  }
  all.push_back({.name = "Content-Type", .value = "application/json"});
  return all;
}

// Sending.

io::Task<Result<StreamableHttp::Outcome>> StreamableHttp::post(HttpPost post) {
  std::string lost_session;
  Result<Outcome> outcome = co_await post_once(&post, &lost_session);
  if (outcome || lost_session.empty()) {
    co_return outcome;
  }
  const Result<void> renewed = co_await renew_session(std::exchange(lost_session, {}));
  if (!renewed) {
    co_return fail(Error(renewed.error()).while_doing("the session was lost"));
  }
  co_return co_await post_once(&post, &lost_session);
}

io::Task<Result<StreamableHttp::Outcome>> StreamableHttp::post_once(const HttpPost* post,
                                                                    std::string* lost_session) {
  HttpAsk ask;
  ask.method = "POST";
  const bool is_first = post->method == http_method::initialize;
  if (is_first) {
    session_id_.clear();
    protocol_version_.clear();
  }
  ask.headers = post_headers(*post);
  ask.body = post->body;
  ask.may_repeat = post->method != http_method::tools_call;
  const std::string session = post->is_stateless() ? "" : session_id_;
  Result<std::unique_ptr<io::HttpResponse>> response = co_await endpoint_->ask(std::move(ask));
  if (!response) {
    co_return fail(std::move(response).error());
  }
  const http::Head& head = (*response)->head();
  if (!is_success(head.status)) {
    *lost_session = session;  // take_refusal() decides
    co_return co_await take_refusal(post, *std::move(response), lost_session);
  }
  if (is_first && is_visible_ascii(head.find("mcp-session-id"))) {
    session_id_ = std::string(head.find("mcp-session-id"));
  }
  const Result<void> taken = co_await take_answer(post, *std::move(response));
  if (!taken) {
    co_return fail(taken.error());
  }
  note_sent(*post);
  co_return Outcome();
}

io::Task<Result<StreamableHttp::Outcome>> StreamableHttp::take_refusal(
    const HttpPost* post, std::unique_ptr<io::HttpResponse> response, std::string* lost_session) {
  const std::string session = std::exchange(*lost_session, {});
  const int status = response->head().status;
  const std::string type = response->head().content_type();
  Result<std::string> body = co_await response->read_all(refusal_bytes_max);
  if (!body && body.error().code() == ErrorCode::cancelled) {
    co_return fail(std::move(body).error());
  }
  const std::string text = body ? *std::move(body) : "";
  if (post->is_stateless()) {
    co_return co_await take_stateless_refusal(
        post, status, text, endpoint_->complaint(status, type, text));
  }
  auto message = rpc::Message::parse(text);
  const bool is_failure = message && message->kind() == rpc::Message::Kind::failure;
  const Error complaint = endpoint_->complaint(status, type, text);
  const bool is_lost = status == status_not_found || (status == status_bad_request && is_failure &&
                                                      says_not_initialized(*message));
  if (is_lost && !session.empty()) {
    *lost_session = session;
    co_return fail(complaint);
  }
  if (post->method == http_method::initialize && may_be_older(status)) {
    co_return Outcome{.older = true, .complaint = complaint};
  }
  if (is_failure && post->is_call() && message->id() == post->id) {
    const Result<void> pushed = co_await inbox_->push(*std::move(message));
    if (!pushed) {
      co_return fail(pushed.error());
    }
    co_return Outcome();
  }
  co_return fail(complaint);
}

// A failure of the call also when the server does not repeat its id. Whatever else a server says to
// server/discover means that it does not know it, but for refused credentials and for trouble.
io::Task<Result<StreamableHttp::Outcome>> StreamableHttp::take_stateless_refusal(
    const HttpPost* post, int status, std::string body, Error complaint) {
  const auto message = rpc::Message::parse(std::move(body));
  if (message && message->kind() == rpc::Message::Kind::failure) {
    const json::Value error = message->error();
    co_return co_await answer_with(
        rpc::failure(post->id,
                     error.find("code").as_int().value_or(rpc::error_code::internal_error),
                     error.find("message").string_or(""),
                     error.find("data").raw()));
  }
  const bool is_unknown = status >= status_bad_request && status < status_server_error &&
                          complaint.code() != ErrorCode::unauthorized;
  if (post->method == http_method::discover && is_unknown) {
    co_return co_await answer_with(
        rpc::failure(post->id, rpc::error_code::method_not_found, complaint.message()));
  }
  co_return fail(std::move(complaint));
}

io::Task<Result<StreamableHttp::Outcome>> StreamableHttp::answer_with(rpc::Outgoing failure) {
  auto message = rpc::Message::parse(failure.flat());
  const Result<void> pushed =
      message ? co_await inbox_->push(*std::move(message)) : fail(message.error());
  if (!pushed) {
    co_return fail(pushed.error());
  }
  co_return Outcome();
}

void StreamableHttp::note_sent(const HttpPost& post) {
  if (post.method == http_method::initialized && !is_listening_) {
    is_listening_ = true;
    tasks_->spawn("events of " + endpoint_->options().name,
                  listen(),
                  [this](const std::string& what) { inbox_->end(io::escaped_text(what)); });
  }
}

// Answers.

io::Task<Result<void>> StreamableHttp::take_answer(const HttpPost* post,
                                                   std::unique_ptr<io::HttpResponse> response) {
  const http::Head& head = response->head();
  const std::string type = head.content_type();
  const std::size_t most = endpoint_->options().message_bytes_max;
  if (is_event_stream(head)) {
    const std::size_t total = post->method == http_method::listen ? 0 : most;
    auto events = std::make_unique<HttpEvents>(std::move(response), most, total);
    co_return co_await follow(post, std::move(events));
  }
  const int status = head.status;
  if (!post->is_call()) {
    // Whatever a server says to a notification is of no interest, but its connection is.
    (void)co_await response->read_all(refusal_bytes_max);
    co_return Result<void>();
  }
  Result<std::string> body = co_await response->read_all(most);
  if (!body) {
    co_return fail(std::move(body).error());
  }
  if (type != "application/json" || status == status_accepted) {
    co_return fail(status == status_ok
                       ? endpoint_->complaint(status, type, *body)
                       : Error(ErrorCode::protocol,
                               endpoint_->url().origin() + ": it took the request (status " +
                                   std::to_string(status) + ") and gave no answer"));
  }
  const Result<Answered> answered = co_await take_json(post, *std::move(body));
  if (!answered) {
    co_return fail(answered.error());
  }
  if (*answered == Answered::no) {
    co_return fail(ErrorCode::protocol,
                   endpoint_->url().origin() + ": its answer belongs to another request");
  }
  co_return Result<void>();
}

// A message, or a list of them as servers of 2025-03-26 may send.
io::Task<Result<StreamableHttp::Answered>> StreamableHttp::take_json(const HttpPost* post,
                                                                     std::string text) {
  const SharedText shared(std::move(text));
  auto answered = Answered::no;
  std::vector<SharedText> parts;
  if (shared.view().find_first_not_of(" \t\r\n") == shared.view().find('[')) {
    const auto list = json::Document::parse(shared);
    if (list) {
      for (const json::Value part : list->root().elements()) {
        parts.push_back(list->share(part));
      }
    }
  } else {
    parts.push_back(shared);
  }
  for (const SharedText& part : parts) {
    auto message = rpc::Message::parse(part);
    if (!message) {
      co_return fail(ErrorCode::protocol,
                     endpoint_->url().origin() + ": its answer is no MCP message: " +
                         endpoint_->without_secrets(message.error().message()));
    }
    const Result<Answered> taken = co_await take_message(post, *std::move(message));
    if (!taken) {
      co_return taken;
    }
    answered = *taken == Answered::yes ? *taken : answered;
  }
  co_return answered;
}

io::Task<Result<StreamableHttp::Answered>> StreamableHttp::take_message(const HttpPost* post,
                                                                        rpc::Message message) {
  const bool is_answer =
      post != nullptr && post->is_call() && message.id() == post->id && message.method().empty();
  if (is_answer) {
    note_answered(*post, message);
  }
  if (post != nullptr && post->is_call() && message.kind() == rpc::Message::Kind::request) {
    message.arrived_during(post->id);
  }
  const bool is_ours = is_answer && post->id.json().starts_with('"');  // see initialize_again()
  if (!is_ours) {
    const Result<void> pushed = co_await inbox_->push(std::move(message));
    if (!pushed) {
      co_return fail(pushed.error());
    }
  }
  co_return is_answer ? Answered::yes : Answered::no;
}

void StreamableHttp::note_answered(const HttpPost& post, const rpc::Message& answer) {
  if (post.method != http_method::initialize || answer.kind() != rpc::Message::Kind::result) {
    return;
  }
  const std::string version = answer.result().find("protocolVersion").string_or("");
  protocol_version_ = is_visible_ascii(version) ? version : "";
  const auto sent = rpc::Message::parse(post.body);
  if (sent) {
    initialize_params_ = SharedText::copy(sent->params().raw());
  }
}

// Events.

io::Task<Result<void>> StreamableHttp::follow(const HttpPost* post,
                                              std::unique_ptr<HttpEvents> events) {
  const HttpTimes& times = endpoint_->options().times;
  std::string last_event_id;
  for (int failures = 0;; ++failures) {
    const Result<Answered> read = co_await follow_until_end(post, events.get());
    if (!read && read.error().code() != ErrorCode::unavailable) {
      co_return fail(read.error());
    }
    if ((read && *read == Answered::yes) || !post->is_call()) {
      co_return Result<void>();
    }
    if (!events->last_event_id().empty() && events->last_event_id() != last_event_id) {
      last_event_id = events->last_event_id();
      failures = 0;
    }
    if (last_event_id.empty() || failures >= resumes_max || post->is_stateless()) {
      co_return lost(*endpoint_);
    }
    const Milliseconds pause = std::min(
        events->retry().value_or(growing_pause(times.resume_first, times.resume_max, failures)),
        times.resume_max);
    events.reset();
    const Result<void> slept = co_await io::sleep_for(pause);
    if (!slept) {
      co_return slept;
    }
    Result<std::unique_ptr<HttpEvents>> resumed = co_await resume(last_event_id);
    if (!resumed) {
      co_return fail(std::move(resumed).error());
    }
    events = *std::move(resumed);
  }
}

io::Task<Result<StreamableHttp::Answered>> StreamableHttp::follow_until_end(const HttpPost* post,
                                                                            HttpEvents* events) {
  for (;;) {
    Result<std::optional<http::SseEvent>> event = co_await events->next();
    if (!event) {
      co_return fail(std::move(event).error());
    }
    if (!*event) {
      co_return Answered::no;
    }
    http::SseEvent found = (*std::move(event)).value_or(http::SseEvent());
    if (found.data.empty() || (!found.type.empty() && found.type != "message")) {
      continue;
    }
    const Result<Answered> taken = co_await take_json(post, std::move(found.data));
    if (!taken && taken.error().code() == ErrorCode::cancelled) {
      co_return taken;
    }
    if (!taken) {
      inbox_->count_junk();
    } else if (*taken == Answered::yes) {
      // The server ends the stream now; then its connection can be used again.
      (void)co_await io::with_deadline(after_answer_max, "the end of an answer", events->next());
      co_return taken;
    }
  }
}

io::Task<Result<std::unique_ptr<HttpEvents>>> StreamableHttp::resume(std::string last_event_id) {
  HttpAsk ask;
  ask.method = "GET";
  ask.headers = headers("text/event-stream");
  ask.headers.push_back({.name = "Last-Event-ID", .value = std::move(last_event_id)});
  ask.may_repeat = true;
  Result<std::unique_ptr<io::HttpResponse>> response = co_await endpoint_->ask(std::move(ask));
  if (!response) {
    co_return fail(std::move(response).error());
  }
  if (!is_event_stream((*response)->head())) {
    co_return lost(*endpoint_);
  }
  const std::size_t most = endpoint_->options().message_bytes_max;
  co_return std::make_unique<HttpEvents>(*std::move(response), most, most);
}

}  // namespace pi_mcp::transport
