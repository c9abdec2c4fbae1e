// The requests of one HTTP/1.1 connection, out of bytes as they arrive. No I/O; Boost.Beast reads
// the heads. Strict: what two programs on the way could read differently is refused (RFC
// 9112, 11.2).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "http/message.h"

namespace pi_mcp::http {

// The head of a request.
struct RequestHead {
  std::string method;  // as sent: "POST"
  std::string target;  // begins with "/", visible ASCII only
  Headers headers;
  bool is_1_1 = true;             // else 1.0, which has no chunks
  bool keeps_alive = true;        // the connection may serve another request
  bool expects_continue = false;  // waits for 100 before it sends its body

  [[nodiscard]] std::string_view find(std::string_view name) const {
    return find_header(headers, name);
  }
};

// Why a request is answered by an error, after which the connection is closed: nobody knows where
// the next request begins.
struct Refusal {
  int status = 0;
  std::string why;  // for people, a sentence without full stop
};

struct RequestLimits {
  std::size_t head_bytes_max = std::size_t{64} << 10U;  // of all lines
  std::size_t target_bytes_max = std::size_t{8} << 10U;
  std::size_t body_bytes_max = std::size_t{64} << 20U;
};

class RequestParser {
 public:
  explicit RequestParser(RequestLimits limits);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // Takes all of `bytes`. What follows the request is kept for the next one, at most a head and a
  // body of it.
  tl::expected<void, Refusal> feed(std::string_view bytes);
  // Once done(): begins with the next request, of which bytes may be here already.
  tl::expected<void, Refusal> begin_next();

  // Nothing of a request has come.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] bool head_done() const;
  [[nodiscard]] bool done() const;
  // Meaningful once head_done().
  [[nodiscard]] const RequestHead& head() const;
  [[nodiscard]] RequestHead take_head();
  // Bytes of the body that are here.
  [[nodiscard]] const std::string& body() const;
  [[nodiscard]] std::string take_body();
  // Bytes that follow the request; more than the limits allow are not to be read before it is
  // answered.
  [[nodiscard]] std::size_t ahead() const;
  // What is kept for the next bytes alone.
  void release_memory();

 private:
  class Reader;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::http
