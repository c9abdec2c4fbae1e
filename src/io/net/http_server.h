// An HTTP/1.1 server: takes connections, reads requests within limits, and writes what a handler
// gives. What a handler does costs no coroutine: it answers at once or when it can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "io/loop/task.h"
#include "io/net/tls_server.h"

namespace pi_mcp::io {

// Who is at the other end.
struct HttpPeer {
  std::string address;  // "127.0.0.1", or "unix" of a Unix socket
  bool is_unix = false;
  bool is_here = false;  // on this machine
  std::optional<std::uint32_t>
      user;  // the uid of its process, by the kernel; known when it is here
};

// A whole answer. Content-Length, Date and Connection are added.
struct HttpReply {
  // NOLINTBEGIN(readability-redundant-member-init): may be left out where one is made
  int status = 200;
  http::Headers headers = {};
  std::string body = {};
  std::vector<SharedText> more = {};  // of the body, sent as it is, without a copy
  // NOLINTEND(readability-redundant-member-init)
};

// One request that is being served. Kept by whoever is to answer; after the end of the connection
// its members do nothing.
class HttpExchange : Pinned {
 public:
  virtual ~HttpExchange() = default;

  [[nodiscard]] virtual const http::RequestHead& head() const = 0;
  [[nodiscard]] virtual const HttpPeer& peer() const = 0;
  [[nodiscard]] virtual std::string take_body() = 0;

  // The answer; once, and not with begin().
  virtual void reply(HttpReply reply) = 0;
  // The beginning of an answer that is sent in pieces until end().
  virtual void begin(int status, http::Headers headers) = 0;
  virtual void write(SharedText piece) = 0;
  virtual void end() = 0;

  // Bytes that the client has not taken yet.
  [[nodiscard]] virtual std::size_t queued() const = 0;
  // Called once when the client has gone, or reads so slowly that it was given up, before the
  // answer was complete. Set while the request is served.
  virtual void when_gone(std::function<void()> gone) = 0;
};

// On whose account it is counted what a request takes of memory. What it says the handler alone
// knows.
using HttpAccount = std::shared_ptr<const std::string>;
enum class HttpRoom : std::uint8_t {
  body,    // what has come of a request, until it is answered
  unread,  // what its client has not taken of answers
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // Looks at a head before its body is read; a reply refuses the request.
  using Admitted = tl::expected<HttpAccount, HttpReply>;
  virtual Admitted admit(const http::RequestHead& head, const HttpPeer& peer) = 0;
  // So many more bytes of a request that was admitted are in memory, until give_room(). A reply
  // refuses the request: there is no room for these. A client that does not read is given up.
  virtual std::optional<HttpReply> take_room(HttpRoom room,
                                             const HttpAccount& account,
                                             std::size_t bytes) = 0;
  virtual void give_room(HttpRoom room, const HttpAccount& account, std::size_t bytes) = 0;
  // A request ends before it is served: by admit(), for want of room, or because it is no HTTP, too
  // large, too slow, or of one connection too many. `head`: empty where it is not whole. `account`:
  // null where it was not admitted.
  virtual void note_refused(const http::RequestHead& head,
                            const HttpPeer& peer,
                            const HttpAccount& account,
                            const HttpReply& reply) = 0;
  // A whole request. One at a time of each connection.
  virtual void serve(std::shared_ptr<HttpExchange> exchange) = 0;
};

struct HttpServerLimits {
  http::RequestLimits request = {};  // NOLINT(readability-redundant-member-init): may be left out
  std::size_t connections_max = 16'384;       // more are answered with 503 and closed
  std::size_t queued_bytes_max = 64U << 20U;  // for one client that does not read
  Milliseconds head_max{10'000};              // from its first byte
  Milliseconds body_max{60'000};              // from the end of the head
  Milliseconds idle_max{75'000};              // between two requests
  Milliseconds stuck_max{60'000};             // a client takes no byte of what waits for it
  Milliseconds look_pause{1'000};             // so late these four may be seen
};

class HttpServer {
 public:
  // `address`: "127.0.0.1:8808", "[::1]:0", or "unix:PATH", whose file belongs to the user alone.
  // invalid_argument: it is no such address. io: it is taken, or the system's reason. `handler`
  // and `identity` outlive the server; with the latter it speaks TLS.
  static Result<std::unique_ptr<HttpServer>> open(const Executor& executor,
                                                  const std::string& address,
                                                  HttpHandler& handler,
                                                  HttpServerLimits limits,
                                                  TlsIdentity* identity = nullptr);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Where it listens, with the port that the system chose.
  [[nodiscard]] const std::string& address() const;
  // Takes no new connections, closes those that wait for a request, and the others after their
  // answer.
  void drain();
  [[nodiscard]] std::size_t connections() const;
  // Requests that are being served, streams among them.
  [[nodiscard]] std::size_t under_way() const;
  // Ends all connections. Must have returned before destruction.
  Task<void> close();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::io
