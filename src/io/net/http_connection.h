// One connection of the HTTP server: requests one after another, each read whole, served, and
// answered before the next. While it waits it is this object and nothing more: no task, no buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/shared_text.h"
#include "base/time.h"
#include "http/request_parser.h"
#include "io/loop/write_batch.h"
#include "io/net/http_held.h"
#include "io/net/http_server.h"
#include "io/net/readiness.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

// What all connections of a server share.
struct HttpShared {
  HttpHandler& handler;
  HttpServerLimits limits;
  std::string& space;  // to read into; used only between a read and what it brings
  WriteBatches& batches;
  Readiness& readiness;
  std::function<void(std::uint64_t key)> ended;  // that connection is to be forgotten soon
  std::size_t under_way = 0;                     // requests being served
  bool is_draining = false;
};

// The server holds it; everything else goes by weak pointers. What is sent during a write batch
// goes out at its end.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection>,
                             private WriteBatches::Waiter {
 public:
  HttpConnection(HttpShared& shared,
                 std::uint64_t key,
                 std::unique_ptr<Socket> socket,
                 HttpPeer peer);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection() = default;

  // Reads and serves from now on, until HttpShared::ended.
  void start();
  // Answers with 503 and ends.
  void turn_away();
  void on_ready(const Readiness::Event& event);

  // Ends it when its time is over; called about every second.
  void look_at_clock(TimePoint now);
  // From now on no further request; one that waits for its first byte ends at once.
  void drain();
  // Ends now; who waits for it hears that from the loop.
  void abort();
  // Tells who serves a request that its client has gone. The last thing that happens here.
  void tell_gone();

 private:
  class Exchange;
  enum class Phase : std::uint8_t { idle, head, body, serving, closing };

  void enter(Phase phase);
  void read();
  void take(std::string_view bytes);
  void advance();
  bool admit();
  bool has_room_for_unread();
  void refuse(HttpReply reply);
  void serve();
  void served(bool keeps_alive);
  void queue(SharedText piece);
  void send(SharedText piece);
  void send_whole(HttpReply reply, bool keeps_alive);
  void send_soon();
  void end_batch() override;
  bool write_queue();
  void take_out(std::size_t written);
  void write_all();
  void want();
  void close_soon();

  HttpShared& shared_;
  std::uint64_t key_;
  std::unique_ptr<Socket> socket_;
  HttpPeer peer_;
  http::RequestParser parser_;
  TimePoint deadline_;  // of the phase
  TimePoint moved_;     // when the client last took a byte
  std::weak_ptr<Exchange> exchange_;
  HttpAccount account_;  // of the request that was admitted last
  HttpHeld body_;
  HttpHeld unread_;
  std::vector<SharedText> queue_;
  std::size_t sent_ = 0;           // of queue_: pieces that are out
  std::size_t front_written_ = 0;  // bytes of the piece after them
  std::size_t queued_ = 0;
  Phase phase_ = Phase::idle;
  bool is_admitted_ = false;     // the head of the request that is being read
  bool is_advancing_ = false;    // so that requests in a row do not nest
  bool is_full_ = false;         // the system takes no more bytes for now
  bool wants_to_read_ = true;    // as the system was told
  bool wants_to_write_ = false;  // likewise
  bool ended_ = false;
};

}  // namespace pi_mcp::io
