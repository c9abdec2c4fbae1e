// One connection of the HTTP server: requests one after another, each read whole, served, and
// answered before the next.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "base/shared_text.h"
#include "base/time.h"
#include "http/request_parser.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/net/http_server.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

// What all connections of a server share.
struct HttpShared {
  HttpHandler& handler;
  HttpServerLimits limits;
  std::string& space;            // to read into; used only between a read and what it brings
  std::size_t bodies_bytes = 0;  // being read
  std::size_t under_way = 0;     // requests being served
  bool is_draining = false;
};

// The tasks that run it hold it alive; everything else goes by weak pointers.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(const Executor& executor,
                 HttpShared& shared,
                 TaskGroup& tasks,
                 std::unique_ptr<Socket> socket,
                 HttpPeer peer);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection();

  // Reads and serves until the connection ends.
  Task<void> run();
  // Answers with 503 and ends.
  Task<void> turn_away();

  // Ends it when its time is over; called about every second.
  void look_at_clock(TimePoint now);
  // From now on no further request; one that waits for its first byte ends at once.
  void drain();
  // Ends now.
  void abort();

 private:
  class Exchange;
  enum class Phase : std::uint8_t { idle, head, body, serving, closing };

  void enter(Phase phase);
  void take(std::string_view bytes);
  void advance();
  bool admit();
  bool count_body();
  void refuse(HttpReply reply);
  void serve();
  void served(bool keeps_alive);
  void send(SharedText piece);
  void send_whole(HttpReply reply, bool keeps_alive);
  bool write_queue();
  Task<void> write_rest();
  void close_soon();
  void tell_gone();

  HttpShared& shared_;
  TaskGroup& tasks_;
  std::unique_ptr<Socket> socket_;
  HttpPeer peer_;
  http::RequestParser parser_;
  Phase phase_ = Phase::idle;
  TimePoint deadline_;  // of the phase
  TimePoint moved_;     // when the client last took a byte
  std::weak_ptr<Exchange> exchange_;
  bool is_admitted_ = false;   // the head of the request that is being read
  bool is_advancing_ = false;  // so that requests in a row do not nest
  bool is_writing_ = false;
  bool ended_ = false;
  std::size_t counted_ = 0;  // of the body, in shared_.bodies_bytes
  std::deque<SharedText> queue_;
  std::size_t front_written_ = 0;
  std::size_t queued_ = 0;
  Condition changed_;
  TaskGroup::TaskId reading_ = 0;
  friend class HttpServer;
};

}  // namespace pi_mcp::io
