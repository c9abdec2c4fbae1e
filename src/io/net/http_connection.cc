#include "io/net/http_connection.h"

#include <algorithm>
#include <utility>

#include "http/reply_head.h"
#include "io/loop/clock.h"

namespace pi_mcp::io {
namespace {

// A request that follows one that is being served is read so far and no further.
constexpr std::size_t ahead_bytes_max = std::size_t{64} << 10U;
// A client that was refused may still be sending; closing at once could take the answer from it.
constexpr Milliseconds closing_max{2'000};

HttpReply plain(int status, std::string text) {
  return {.status = status,
          .headers = {{.name = "Content-Type", .value = "text/plain; charset=utf-8"}},
          .body = std::move(text) + ".\n",
          .more = {}};
}

HttpReply busy() {
  HttpReply reply = plain(503, "there are too many requests");
  reply.headers.push_back({.name = "Retry-After", .value = "1"});
  return reply;
}

}  // namespace

// What a handler holds of a request. The connection may end before it.
class HttpConnection::Exchange final : public HttpExchange {
 public:
  explicit Exchange(HttpConnection& connection)
      : connection_(connection.weak_from_this()),
        head_(connection.parser_.head()),
        body_(connection.parser_.take_body()),
        peer_(connection.peer_) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  // Whoever lets go of a request has ended it.
  ~Exchange() override {
    if (state_ == State::open) {
      Exchange::reply(plain(500, "nobody has answered this request"));
    } else if (state_ == State::begun) {
      Exchange::end();
    }
  }

  [[nodiscard]] const http::RequestHead& head() const override { return head_; }
  [[nodiscard]] const HttpPeer& peer() const override { return peer_; }
  [[nodiscard]] std::string take_body() override { return std::exchange(body_, {}); }

  void reply(HttpReply reply) override {
    if (const auto connection = here(State::open, State::over)) {
      connection->send_whole(std::move(reply), head_.keeps_alive);
      connection->served(head_.keeps_alive);
    }
  }
  void begin(int status, http::Headers headers) override {
    if (const auto connection = here(State::open, State::begun)) {
      const http::ReplyFraming framing{.length = std::nullopt,
                                       .chunked = head_.is_1_1,
                                       .keeps_alive = head_.is_1_1 && head_.keeps_alive};
      connection->send(SharedText(http::reply_head(status, headers, framing)));
    }
  }
  void write(SharedText piece) override {
    if (const auto connection = here(State::begun, State::begun); connection && !piece.empty()) {
      if (!head_.is_1_1) {
        connection->send(std::move(piece));
        return;
      }
      connection->send(SharedText(http::chunk_line(piece.size())));
      connection->send(std::move(piece));
      connection->send(SharedText(nullptr, "\r\n"));
    }
  }
  void end() override {
    if (const auto connection = here(State::begun, State::over)) {
      if (head_.is_1_1) {
        connection->send(SharedText(nullptr, "0\r\n\r\n"));
      }
      connection->served(head_.is_1_1 && head_.keeps_alive);
    }
  }
  [[nodiscard]] std::size_t queued() const override {
    const auto connection = connection_.lock();
    return connection ? connection->queued_ : 0;
  }
  void when_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
  void tell_gone() {
    state_ = State::over;
    if (const auto gone = std::exchange(gone_, nullptr)) {
      gone();
    }
  }

 private:
  enum class State : std::uint8_t { open, begun, over };
  // The connection, when the exchange is in the state `from`, which `to` follows.
  std::shared_ptr<HttpConnection> here(State from, State to) {
    auto connection = connection_.lock();
    if (state_ != from || !connection || connection->ended_) {
      return nullptr;
    }
    state_ = to;
    if (to == State::over) {
      gone_ = nullptr;
    }
    return connection;
  }

  std::weak_ptr<HttpConnection> connection_;
  http::RequestHead head_;
  std::string body_;
  HttpPeer peer_;
  State state_ = State::open;
  std::function<void()> gone_;
};

HttpConnection::HttpConnection(const Executor& executor,
                               HttpShared& shared,
                               TaskGroup& tasks,
                               std::unique_ptr<Socket> socket,
                               HttpPeer peer)
    : shared_(shared),
      tasks_(tasks),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      parser_(shared.limits.request),
      changed_(executor) {
  enter(Phase::idle);
}

HttpConnection::~HttpConnection() {
  shared_.bodies_bytes -= counted_;
}

void HttpConnection::enter(Phase phase) {
  const HttpServerLimits& limits = shared_.limits;
  phase_ = phase;
  switch (phase) {
    case Phase::idle:
      deadline_ = now() + limits.idle_max;
      return;
    case Phase::head:
      deadline_ = now() + limits.head_max;
      return;
    case Phase::body:
      deadline_ = now() + limits.body_max;
      return;
    case Phase::serving:
      deadline_ = TimePoint::max();
      return;
    case Phase::closing:
      deadline_ = now() + closing_max;
      return;
  }
}

Task<void> HttpConnection::run() {
  const auto alive = shared_from_this();
  while (!ended_) {
    Wake wake = Wake::notified;
    while (!ended_ && parser_.ahead() > ahead_bytes_max && wake != Wake::cancelled) {
      wake = co_await changed_.wait();
    }
    const Result<std::size_t> count = co_await socket_->read_some(shared_.space);
    if (!count || *count == 0) {
      break;
    }
    take(std::string_view(shared_.space).substr(0, *count));
  }
  ended_ = true;
  tell_gone();
  changed_.notify_all();
}

Task<void> HttpConnection::turn_away() {
  refuse(busy());
  co_await run();
}

void HttpConnection::take(std::string_view bytes) {
  if (phase_ == Phase::closing) {
    return;  // nobody reads it any more
  }
  if (phase_ == Phase::idle) {
    enter(Phase::head);
  }
  if (const auto fed = parser_.feed(bytes); !fed) {
    refuse(plain(fed.error().status, fed.error().why));
    return;
  }
  advance();
}

// Goes as far as the bytes that are here allow.
void HttpConnection::advance() {
  if (std::exchange(is_advancing_, true)) {
    return;
  }
  while (!ended_ && phase_ != Phase::serving && phase_ != Phase::closing && parser_.head_done()) {
    if (!is_admitted_ && !admit()) {
      break;
    }
    if (!count_body()) {
      refuse(busy());
      break;
    }
    if (!parser_.done()) {
      break;
    }
    serve();
  }
  is_advancing_ = false;
}

// False: the request was refused by its head.
bool HttpConnection::admit() {
  is_admitted_ = true;
  if (std::optional<HttpReply> refusal = shared_.handler.refuse(parser_.head(), peer_)) {
    refuse(*std::move(refusal));
    return false;
  }
  if (parser_.head().expects_continue && !parser_.done()) {
    send(SharedText(nullptr, "HTTP/1.1 100 Continue\r\n\r\n"));
  }
  enter(Phase::body);
  return true;
}

// False: all bodies together would be too much.
bool HttpConnection::count_body() {
  const std::size_t bytes = parser_.body().size();
  shared_.bodies_bytes = shared_.bodies_bytes - counted_ + bytes;
  counted_ = bytes;
  return shared_.bodies_bytes <= shared_.limits.bodies_bytes_max;
}

// An answer after which nothing more is read.
void HttpConnection::refuse(HttpReply reply) {
  send_whole(std::move(reply), false);
  close_soon();
}

void HttpConnection::serve() {
  enter(Phase::serving);
  ++shared_.under_way;
  auto exchange = std::make_shared<Exchange>(*this);
  exchange_ = exchange;
  shared_.handler.serve(std::move(exchange));
}

// The request that was served has its answer.
void HttpConnection::served(bool keeps_alive) {
  --shared_.under_way;
  exchange_.reset();
  shared_.bodies_bytes -= std::exchange(counted_, 0);
  is_admitted_ = false;
  if (!keeps_alive || shared_.is_draining) {
    close_soon();
    return;
  }
  enter(Phase::idle);
  if (const auto next = parser_.begin_next(); !next) {
    refuse(plain(next.error().status, next.error().why));
    return;
  }
  if (!parser_.is_idle()) {
    enter(Phase::head);
  }
  changed_.notify_all();
  advance();
}

void HttpConnection::send_whole(HttpReply reply, bool keeps_alive) {
  std::uint64_t length = reply.body.size();
  for (const SharedText& piece : reply.more) {
    length += piece.size();
  }
  std::string head = http::reply_head(
      reply.status,
      reply.headers,
      {.length = length, .chunked = false, .keeps_alive = keeps_alive && !shared_.is_draining});
  send(SharedText(std::move(head) + reply.body));
  for (SharedText& piece : reply.more) {
    send(std::move(piece));
  }
}

void HttpConnection::send(SharedText piece) {
  if (ended_) {
    return;
  }
  if (queue_.empty()) {
    moved_ = now();
  }
  queued_ += piece.size();
  queue_.push_back(std::move(piece));
  if (is_writing_) {
    if (queued_ > shared_.limits.queued_bytes_max) {
      abort();
    }
    return;
  }
  if (!write_queue()) {
    abort();
  } else if (!queue_.empty()) {
    is_writing_ = true;
    tasks_.spawn("http client", write_rest(), log_only);
  }
}

// Writes as far as there is room. False: the connection is broken.
bool HttpConnection::write_queue() {
  while (!queue_.empty()) {
    const std::string_view rest = queue_.front().view().substr(front_written_);
    const Result<std::size_t> written = socket_->write_some(rest);
    if (!written) {
      return false;
    }
    if (*written > 0) {
      moved_ = now();
    }
    queued_ -= *written;
    front_written_ += *written;
    if (*written < rest.size()) {
      return true;
    }
    queue_.pop_front();
    front_written_ = 0;
  }
  return true;
}

Task<void> HttpConnection::write_rest() {
  const auto alive = shared_from_this();
  while (!ended_ && !queue_.empty()) {
    const Result<void> room = co_await socket_->wait_for_room();
    if (!room || !write_queue()) {
      abort();
    }
  }
  is_writing_ = false;
  if (phase_ == Phase::closing && !ended_) {
    close_soon();
  }
}

// Once everything is written, the client sees the end and has some time to see it.
void HttpConnection::close_soon() {
  if (phase_ != Phase::closing) {
    enter(Phase::closing);
  }
  if (queue_.empty()) {
    deadline_ = now() + closing_max;
    socket_->end_output();
  }
}

void HttpConnection::look_at_clock(TimePoint now) {
  const bool is_stuck = !queue_.empty() && now - moved_ > shared_.limits.stuck_max;
  if (is_stuck ||
      (now > deadline_ && (phase_ == Phase::idle || phase_ == Phase::closing) && queue_.empty())) {
    abort();
  } else if (now > deadline_ && (phase_ == Phase::head || phase_ == Phase::body)) {
    refuse(plain(408, "the request did not come in time"));
  }
}

void HttpConnection::drain() {
  if (phase_ == Phase::idle) {
    close_soon();
  }
}

void HttpConnection::abort() {
  ended_ = true;
  tasks_.cancel(reading_);
  changed_.notify_all();
}

void HttpConnection::tell_gone() {
  if (const auto exchange = exchange_.lock()) {
    exchange_.reset();
    --shared_.under_way;
    exchange->tell_gone();
  }
}

}  // namespace pi_mcp::io
