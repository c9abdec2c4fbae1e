#include "transport/http_host/http_host.h"

#include <algorithm>
#include <utility>

#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "rpc/message.h"

namespace pi_mcp::transport {
namespace {

constexpr const char* busy_text =
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"too many requests of this session wait for an answer; try again"}})";
constexpr const char* over_text =
    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"this session has ended; begin another one"}})";

constexpr unsigned streams_apart = 16;  // of two lives of a session

// A stream for what belongs to no request has an even number, one of a POST an odd one.
bool is_of_post(std::uint64_t stream) {
  return stream % 2 == 1;
}

http::Headers with(http::Headers headers, std::string_view name, std::string_view value) {
  headers.push_back({.name = std::string(name), .value = std::string(value)});
  return headers;
}

io::HttpReply json_reply(int status, const http::Headers& headers, std::string body) {
  return {.status = status,
          .headers = with(headers, "Content-Type", "application/json"),
          .body = std::move(body),
          .more = {}};
}

// The requests of a message, or of the messages of a batch.
std::vector<rpc::Id> requests_of(const rpc::Message& message) {
  std::vector<rpc::Id> requests;
  if (message.kind() == rpc::Message::Kind::request) {
    requests.push_back(message.id());
  } else if (message.kind() == rpc::Message::Kind::batch) {
    for (const json::Value element : message.root().elements()) {
      const json::Value id = element.find("id");
      if (element.find("method") && (id.is_string() || id.is(json::Kind::number))) {
        requests.push_back(rpc::Id::from_json(id.raw()));
      }
    }
  }
  return requests;
}

// An event: one line of data, because JSON needs no line breaks.
std::vector<SharedText> frame_of(const std::string& id, rpc::Outgoing message) {
  std::vector<SharedText> frame;
  frame.emplace_back((id.empty() ? "" : "id: " + id + "\n") + "data: ");
  for (SharedText& piece : std::move(message).release()) {
    if (piece.view().find_first_of("\r\n") != std::string_view::npos) {
      std::string text(piece.view());
      std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
      piece = SharedText(std::move(text));
    }
    frame.push_back(std::move(piece));
  }
  frame.emplace_back(nullptr, "\n\n");
  return frame;
}

// What the code of a failure of ours means to HTTP (2026-07-28, basic/transports/streamable-http,
// "Responses"); revisions with a handshake answer 200.
int status_of(const rpc::Outgoing& answer, HttpHost::Kind kind) {
  constexpr std::int64_t header_mismatch = -32020;
  constexpr std::int64_t unsupported_version = -32022;
  const std::int64_t code = answer.failed_with();
  if (kind == HttpHost::Kind::session) {
    return 200;
  }
  if (code == rpc::error_code::method_not_found) {
    return 404;
  }
  return code == rpc::error_code::invalid_request ||
                 (code <= header_mismatch && code >= unsupported_version)
             ? 400
             : 200;
}

}  // namespace

HttpHost::HttpHost(const io::Executor& executor, Kind kind, Limits limits, Answered answered)
    : kind_(kind),
      limits_(limits),
      answered_(std::move(answered)),
      changed_(executor),
      first_stream_(static_cast<std::uint64_t>(io::random_fraction() * (1U << 30U))
                    << streams_apart) {}

HttpHost::~HttpHost() = default;

void HttpHost::post(std::shared_ptr<io::HttpExchange> exchange,
                    rpc::Message message,
                    ClientStreams client) {
  std::vector<rpc::Id> requests = requests_of(message);
  if (ended_ || posts_.size() >= limits_.posts_max || received_.size() >= limits_.messages_max) {
    exchange->reply(
        json_reply(503, with(client.headers, "Retry-After", "1"), ended_ ? over_text : busy_text));
    return;
  }
  if (requests.empty()) {
    exchange->reply({.status = 202, .headers = client.headers, .body = "", .more = {}});
    take(std::move(message));
    return;
  }
  if (const rpc::Id* const again = in_use(requests)) {
    exchange->reply(json_reply(400,
                               client.headers,
                               rpc::failure(*again,
                                            rpc::error_code::invalid_request,
                                            "this request id is in use by a call that still runs")
                                   .flat()));
    return;
  }
  const std::uint32_t number = ++last_post_;
  if (kind_ == Kind::stateless) {
    message.arrived_from(number);
    requests.front().set_sender(number);
  }
  Post& post = posts_[number];
  post.stream.number = first_stream_ + std::uint64_t{number} * 2 + 1;
  post.stream.client = std::move(client);
  post.unanswered = std::move(requests);
  post.method = message.kind() == rpc::Message::Kind::batch ? "batch" : message.method();
  post.since = io::now();
  listens_ += post.is_listening() ? 1 : 0;
  exchange->when_gone([this, number] { lost(number); });
  post.stream.exchange = std::move(exchange);
  take(std::move(message));
}

void HttpHost::take(rpc::Message message) {
  received_.push_back(std::move(message));
  if (is_held_) {
    return;
  }
  if (arrived_ && received_.size() == 1) {
    try {
      const std::function<void()> arrived = arrived_;  // it may put another in its place
      arrived();
    } catch (...) {
      escaped_ = std::current_exception();
    }
  }
  if (!received_.empty() || escaped_) {
    changed_.notify_all();
  }
}

void HttpHost::open_stream(std::shared_ptr<io::HttpExchange> exchange,
                           const ClientStreams& client) {
  if (stream_.exchange) {
    stream_.exchange->when_gone(nullptr);
    stream_.exchange->end();
  }
  stream_.number = stream_.number == 0 ? first_stream_ : stream_.number;
  stream_.client = client;
  stream_.is_begun = false;
  attach(stream_, std::move(exchange));
}

bool HttpHost::resume(std::shared_ptr<io::HttpExchange> exchange,
                      std::string_view last_event_id,
                      ClientStreams client) {
  // An id that came before what was missed would say that this has been seen.
  client.begins_empty = false;
  const std::optional<EventLog::Place> place = EventLog::parse(last_event_id);
  if (!place) {
    return false;
  }
  const auto missed = log_.after(*place);
  if (!is_of_post(place->stream)) {
    open_stream(std::move(exchange), client);
    if (missed && place->stream == stream_.number) {
      for (const SharedText& piece : *missed) {
        stream_.exchange->write(piece);
      }
    }
    return true;
  }
  if (!missed) {
    return false;
  }
  const auto post = std::ranges::find_if(
      posts_, [&](const auto& each) { return each.second.stream.number == place->stream; });
  const bool is_under_way = post != posts_.end();
  Stream over;
  over.number = place->stream;
  Stream& stream = is_under_way ? post->second.stream : over;
  if (stream.exchange) {
    stream.exchange->when_gone(nullptr);
    stream.exchange->end();
  }
  stream.client = client;
  stream.is_begun = false;
  if (is_under_way) {
    exchange->when_gone([this, number = post->first] { lost(number); });
  }
  stream.exchange = std::move(exchange);
  begin(stream);
  for (const SharedText& piece : *missed) {
    stream.exchange->write(piece);
  }
  if (!is_under_way) {
    stream.exchange->end();
  }
  return true;
}

// The stream for what belongs to no request has a reader.
void HttpHost::attach(Stream& stream, std::shared_ptr<io::HttpExchange> exchange) {
  exchange->when_gone([&stream] { stream.exchange = nullptr; });
  stream.exchange = std::move(exchange);
  begin(stream);
}

void HttpHost::begin(Stream& stream) {
  stream.is_begun = true;
  stream.said = io::now();
  http::Headers headers = with(stream.client.headers, "Content-Type", "text/event-stream");
  headers = with(std::move(headers), "Cache-Control", "no-store");
  stream.exchange->begin(200, with(std::move(headers), "X-Accel-Buffering", "no"));
  if (stream.client.begins_empty && kind_ == Kind::session) {
    stream.exchange->write(
        SharedText("id: " + EventLog::id_of(log_.next(stream.number)) +
                   "\nretry: " + std::to_string(limits_.come_back_after.count()) + "\ndata: \n\n"));
  } else {
    stream.exchange->write(SharedText(nullptr, ":\n\n"));
  }
}

void HttpHost::say(Stream& stream, rpc::Outgoing message) {
  const bool is_kept = kind_ == Kind::session;
  const EventLog::Place place = log_.next(stream.number);
  std::vector<SharedText> frame =
      frame_of(is_kept ? EventLog::id_of(place) : "", std::move(message));
  if (stream.exchange) {
    for (const SharedText& piece : frame) {
      stream.exchange->write(piece);
    }
    stream.said = io::now();
  }
  if (is_kept) {
    log_.keep(place, std::move(frame));
  }
}

HttpHost::Posts::iterator HttpHost::find(const rpc::Id& request) {
  if (kind_ == Kind::stateless) {
    return posts_.find(request.sender());
  }
  return std::ranges::find_if(posts_, [&request](const auto& post) {
    return std::ranges::find(post.second.unanswered, request) != post.second.unanswered.end();
  });
}

// Of these the one whose answer could not be told from another's; null: none.
const rpc::Id* HttpHost::in_use(const std::vector<rpc::Id>& requests) {
  if (kind_ == Kind::stateless) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(
      requests, [this](const rpc::Id& request) { return find(request) != posts_.end(); });
  return found == requests.end() ? nullptr : &*found;
}

Result<void> HttpHost::send(rpc::Outgoing message) {
  if (ended_) {
    return fail(ErrorCode::io, "the session has ended");
  }
  rpc::Id answered;
  message.for_each_answered([&answered](const rpc::Id& id) { answered = id; });
  if (answered.exists()) {
    if (const auto post = find(answered); post != posts_.end()) {
      answer(post, std::move(message));
    }
    return {};
  }
  const bool is_refused = stream_.exchange == nullptr && refuse_question(message);
  if (stream_.number != 0 && !is_refused) {
    say(stream_, std::move(message));
  }
  return {};
}

Result<void> HttpHost::send_during(rpc::Outgoing message, const rpc::Id& request) {
  const auto post = find(request);
  if (post == posts_.end() || !post->second.stream.client.takes_events) {
    return kind_ == Kind::session ? send(std::move(message)) : Result<void>();
  }
  Stream& stream = post->second.stream;
  if (!stream.is_begun && stream.exchange) {
    begin(stream);
  }
  say(stream, std::move(message));
  return {};
}

// Nobody hears it who could answer. False: it is no question.
bool HttpHost::refuse_question(const rpc::Outgoing& message) {
  const Result<rpc::Message> said = rpc::Message::parse(message.flat());
  if (!said || said->kind() != rpc::Message::Kind::request) {
    return false;
  }
  const rpc::Outgoing refused =
      rpc::failure(said->id(),
                   rpc::error_code::internal_error,
                   "this client has no stream open on which it could be asked");
  if (Result<rpc::Message> answer = rpc::Message::parse(refused.flat())) {
    take(*std::move(answer));
  }
  return true;
}

void HttpHost::answer(Posts::iterator post, rpc::Outgoing message) {
  message.for_each_answered(
      [&post](const rpc::Id& id) { std::erase(post->second.unanswered, id); });
  Stream& stream = post->second.stream;
  const bool is_last = post->second.unanswered.empty();
  if (is_last && answered_) {
    answered_(post->second.method, message.failed_with(), io::now() - post->second.since);
  }
  if (stream.is_begun || (!is_last && stream.client.takes_events)) {
    if (!stream.is_begun && stream.exchange) {
      begin(stream);
    }
    say(stream, std::move(message));
  } else if (stream.exchange && is_last) {
    const int status = status_of(message, kind_);
    io::HttpReply reply = json_reply(status, stream.client.headers, "");
    reply.more = std::move(message).release();
    stream.exchange->when_gone(nullptr);
    std::exchange(stream.exchange, nullptr)->reply(std::move(reply));
  }
  if (is_last) {
    finish(post);
  }
}

void HttpHost::finish(Posts::iterator post) {
  Stream& stream = post->second.stream;
  if (stream.exchange) {
    stream.exchange->when_gone(nullptr);
    if (stream.is_begun) {
      stream.exchange->end();
    } else {
      stream.exchange->reply(
          {.status = 202, .headers = stream.client.headers, .body = "", .more = {}});
    }
  }
  erase(post);
}

void HttpHost::erase(Posts::iterator post) {
  listens_ -= post->second.is_listening() ? 1 : 0;
  posts_.erase(post);
}

void HttpHost::settle(const rpc::Id& request) {
  const auto post = find(request);
  if (post == posts_.end()) {
    return;
  }
  std::erase(post->second.unanswered, request);
  if (post->second.unanswered.empty()) {
    finish(post);
  }
}

// Its client has gone. One of a session may come back to a stream that has begun.
void HttpHost::lost(std::uint32_t number) {
  const auto post = posts_.find(number);
  if (post == posts_.end()) {
    return;
  }
  post->second.stream.exchange = nullptr;
  if (kind_ == Kind::session) {
    return;
  }
  const rpc::Id request = post->second.unanswered.front();
  erase(post);
  Result<rpc::Message> cancelled = rpc::Message::parse(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"the client closed its stream"}})");
  if (cancelled) {
    cancelled->arrived_during(request);
    take(*std::move(cancelled));
  }
}

void HttpHost::look_at_clock(TimePoint now) {
  const auto keep_alive = [&](Stream& stream) {
    if (stream.exchange && stream.is_begun && now - stream.said >= limits_.alive_every) {
      stream.exchange->write(SharedText(nullptr, ":\n\n"));
      stream.said = now;
    }
  };
  keep_alive(stream_);
  for (auto next = posts_.begin(); next != posts_.end();) {
    Post& post = (next++)->second;
    if (post.stream.exchange && !post.stream.is_begun && post.stream.client.takes_events &&
        now - post.since >= limits_.slow_after) {
      begin(post.stream);
    }
    keep_alive(post.stream);
  }
}

void HttpHost::send_away() {
  send_away(stream_);
  for (auto next = posts_.begin(); next != posts_.end();) {
    const auto post = next++;
    if (post->second.is_listening()) {
      send_away(post->second.stream);
      lost(post->first);
    }
  }
}

void HttpHost::send_away(Stream& stream) {
  if (!stream.exchange) {
    return;
  }
  if (!stream.is_begun) {
    begin(stream);
  }
  stream.exchange->when_gone(nullptr);
  stream.exchange->write(
      SharedText("retry: " + std::to_string(limits_.come_back_after.count()) + "\n\n"));
  std::exchange(stream.exchange, nullptr)->end();
}

void HttpHost::hold(bool is_held) {
  is_held_ = is_held;
  if (!is_held_ && !received_.empty()) {
    changed_.notify_all();
  }
}

io::Task<Result<rpc::Message>> HttpHost::receive() {
  io::Wake wake = io::Wake::notified;
  while ((received_.empty() || is_held_) && !ended_ && !escaped_ && wake != io::Wake::cancelled) {
    wake = co_await changed_.wait();
  }
  if (escaped_) {
    std::rethrow_exception(std::exchange(escaped_, nullptr));
  }
  if (std::optional<Result<rpc::Message>> message = receive_now()) {
    co_return *std::move(message);
  }
  if (ended_) {
    co_return fail(ErrorCode::unavailable, "the session has ended");
  }
  co_return fail(ErrorCode::cancelled, "cancelled");
}

std::optional<Result<rpc::Message>> HttpHost::receive_now() {
  if (received_.empty() || is_held_) {
    return std::nullopt;
  }
  rpc::Message message = std::move(received_.front());
  received_.pop_front();
  return Result<rpc::Message>(std::move(message));
}

// What waits for a client waits in its connection, which has a limit of its own.
io::Task<Result<void>> HttpHost::drain(std::size_t /*bytes*/) {
  co_return Result<void>();
}

io::Task<void> HttpHost::close() {
  if (!std::exchange(ended_, true)) {
    send_away();
    listens_ = 0;
    for (auto& [number, post] : std::exchange(posts_, {})) {
      if (const auto exchange = std::exchange(post.stream.exchange, nullptr)) {
        exchange->when_gone(nullptr);
        if (post.stream.is_begun) {
          exchange->end();
        } else {
          exchange->reply(json_reply(503, post.stream.client.headers, over_text));
        }
      }
    }
    changed_.notify_all();
  }
  co_return;
}

LinkEnd HttpHost::end() const {
  return {.reason = ended_ ? "the session has ended" : "", .stderr_tail = "", .is_remote = true};
}

}  // namespace pi_mcp::transport
