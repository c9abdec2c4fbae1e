#include "io/net/http_connection.h"

#include <algorithm>
#include <array>
#include <span>
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
        head_(connection.parser_.take_head()),
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
      head_.headers = {};  // it may stay open for long
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
      connection->queue(SharedText(http::chunk_line(piece.size())));
      connection->queue(std::move(piece));
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

HttpConnection::HttpConnection(HttpShared& shared,
                               std::uint64_t key,
                               std::unique_ptr<Socket> socket,
                               HttpPeer peer)
    : Waiter(shared.batches),
      shared_(shared),
      key_(key),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      parser_(shared.limits.request),
      body_(shared.handler, HttpRoom::body),
      unread_(shared.handler, HttpRoom::unread) {
  enter(Phase::idle);
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

void HttpConnection::start() {
  if (!shared_.readiness.add(socket_->number(), key_)) {
    abort();
  }
}

void HttpConnection::turn_away() {
  refuse(busy());
}

void HttpConnection::on_ready(const Readiness::Event& event) {
  const auto alive = shared_from_this();
  if (event.can_write && is_full_ && !ended_) {
    is_full_ = false;
    write_all();
  }
  const bool may_read = event.can_read || (event.can_write && socket_->reads_by_writing());
  if (may_read && wants_to_read_ && !ended_) {
    read();
  } else if (event.is_broken) {
    abort();
  }
  want();
}

// Once: a client that sends faster than we read must not keep the loop to itself.
void HttpConnection::read() {
  const Result<std::optional<std::size_t>> count = socket_->take_some(shared_.space);
  if (!count || (*count && **count == 0)) {
    abort();
  } else if (*count) {
    take(std::string_view(shared_.space).substr(0, **count));
  }
}

// Tells the system what to look for, where that has changed.
void HttpConnection::want() {
  const bool wants_to_read = parser_.ahead() <= ahead_bytes_max;
  const bool wants_to_write = is_full_ || socket_->reads_by_writing();
  if (!ended_ && (wants_to_read != wants_to_read_ || wants_to_write != wants_to_write_)) {
    wants_to_read_ = wants_to_read;
    wants_to_write_ = wants_to_write;
    shared_.readiness.want(socket_->number(), key_, wants_to_read, wants_to_write);
  }
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
    if (auto refusal = body_.hold(parser_.body().size(), account_)) {
      refuse(*std::move(refusal));
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
  HttpHandler::Admitted admitted = shared_.handler.admit(parser_.head(), peer_);
  if (!admitted) {
    refuse(std::move(admitted).error());
    return false;
  }
  is_admitted_ = true;
  account_ = *std::move(admitted);
  if (parser_.head().expects_continue && !parser_.done()) {
    send(SharedText(nullptr, "HTTP/1.1 100 Continue\r\n\r\n"));
  }
  enter(Phase::body);
  return true;
}

// An answer after which nothing more is read; what is here of a body is not kept while it goes out.
void HttpConnection::refuse(HttpReply reply) {
  static const http::RequestHead none;
  shared_.handler.note_refused(
      parser_.head_done() ? parser_.head() : none, peer_, is_admitted_ ? account_ : nullptr, reply);
  (void)parser_.take_body();
  body_.release();
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
  body_.release();
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
  want();
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
  head += reply.body;
  queue(SharedText(std::move(head)));
  for (SharedText& piece : reply.more) {
    queue(std::move(piece));
  }
  send_soon();
}

void HttpConnection::queue(SharedText piece) {
  if (ended_ || piece.empty()) {
    return;
  }
  if (queued_ == 0) {
    moved_ = now();
  }
  queued_ += piece.size();
  queue_.push_back(std::move(piece));
}

void HttpConnection::send(SharedText piece) {
  queue(std::move(piece));
  send_soon();
}

void HttpConnection::send_soon() {
  if (is_full_ && (queued_ > shared_.limits.queued_bytes_max || !has_room_for_unread())) {
    abort();
  } else if (!is_full_ && !wait_for_batch_end()) {
    write_all();
  }
}

void HttpConnection::end_batch() {
  const auto alive = shared_from_this();
  if (!is_full_) {
    write_all();
  }
}

// As far as there is room; the rest when there is more.
void HttpConnection::write_all() {
  if (ended_) {
    return;
  }
  if (!write_queue() || !has_room_for_unread()) {
    abort();
    return;
  }
  want();
  if (phase_ == Phase::closing && queue_.empty()) {
    close_soon();
  }
}

// Of what the client does not take for now. What goes out at once is never counted.
bool HttpConnection::has_room_for_unread() {
  return !unread_.hold(is_full_ ? queued_ : 0, account_);
}

// False: the connection is broken.
bool HttpConnection::write_queue() {
  constexpr std::size_t pieces_max = 16;
  while (sent_ < queue_.size()) {
    std::array<std::string_view, pieces_max> pieces;
    const std::size_t count = std::min(queue_.size() - sent_, pieces_max);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      pieces.at(i) = queue_[sent_ + i].view().substr(i == 0 ? front_written_ : 0);
      bytes += pieces.at(i).size();
    }
    const Result<std::size_t> written = socket_->write_some(std::span(pieces).first(count));
    if (!written) {
      return false;
    }
    take_out(*written);
    if (*written < bytes) {
      is_full_ = *written == 0;
    }
    if (is_full_) {
      return true;
    }
  }
  queue_ = {};
  sent_ = 0;
  return true;
}

// What was written holds no memory any more.
void HttpConnection::take_out(std::size_t written) {
  if (written > 0) {
    moved_ = now();
  }
  queued_ -= written;
  front_written_ += written;
  while (sent_ < queue_.size() && front_written_ >= queue_[sent_].size()) {
    front_written_ -= queue_[sent_].size();
    queue_[sent_++] = SharedText();
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
  parser_.release_memory();
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
  if (!std::exchange(ended_, true)) {
    shared_.ended(key_);
  }
}

void HttpConnection::tell_gone() {
  ended_ = true;
  if (const auto exchange = exchange_.lock()) {
    exchange_.reset();
    --shared_.under_way;
    exchange->tell_gone();
  }
}

}  // namespace pi_mcp::io
