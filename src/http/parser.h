// The answer to one HTTP/1.1 request, out of bytes as they arrive. No I/O; Boost.Beast reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace pi_mcp::http {

// What the request says about the body of its answer.
enum class HttpBody : std::uint8_t { as_declared, none };  // none: HEAD, and CONNECT

class HttpParser {
 public:
  HttpParser(HttpBody body, Limits limits);
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;
  ~HttpParser();

  // Takes all of `bytes` and appends what is body to `body`. protocol: this is not HTTP, or a limit
  // is exceeded; in the body it is one of what is kept until its line or trailer is whole. Interim
  // answers (1xx) are passed over.
  Result<void> feed(std::string_view bytes, std::string& body);
  // The connection has ended. unavailable: before the end of the answer.
  Result<void> feed_end();

  [[nodiscard]] bool head_done() const;
  [[nodiscard]] bool done() const;
  // Any byte of the answer was seen.
  [[nodiscard]] bool started() const;
  // Meaningful once head_done().
  [[nodiscard]] const Head& head() const;
  // Meaningful once done(): the connection may serve another request.
  [[nodiscard]] bool keeps_alive() const;
  // What followed the answer: the first bytes of a tunnel that CONNECT opened.
  [[nodiscard]] bool has_rest() const;

 private:
  class Reader;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::http
