// One request to an MCP url, as often as it is sent until there is an answer for whoever asked:
// redirects inside the origin are followed, a busy server is asked again later, refused credentials
// are renewed. Pure: no I/O, no clock.
#pragma once

#include <string>
#include <variant>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "http/message.h"
#include "http/url.h"
#include "transport/credentials.h"

namespace pi_mcp::transport {

// A request to the endpoint, or to another url of its origin.
struct HttpAsk {
  std::string method;
  std::string url;        // empty: the endpoint's own
  http::Headers headers;  // besides the fixed ones
  SharedText body;
  bool may_repeat = false;  // as in http::Request
};

// The server may take the request later (RFC 9110, 15.6.4; RFC 6585, 4).
constexpr bool is_busy_status(int status) {
  return status == 429 || status == 503;
}

class HttpAttempts {
 public:
  struct Final {};     // the answer is the caller's affair
  struct Redirect {};  // it is sent again with the same token, now to to()
  // Milliseconds: it is sent again after this time. Refusal: it is sent again if the credentials
  // want that, else the answer is final. Both with a new token.
  using Next = std::variant<Final, Redirect, Milliseconds, Refusal>;

  HttpAttempts(http::Url to, Milliseconds retry_after_max)
      : first_(std::move(to)), to_(first_), retry_after_max_(retry_after_max) {}

  [[nodiscard]] const http::Url& to() const { return to_; }
  // What an answer leads to; one of a server that is busy for too long is final. The refusal has no
  // token yet. unavailable: it redirects elsewhere.
  Result<Next> take(const http::Head& head, EpochMs now);

 private:
  Result<Next> redirect(const http::Head& head);
  Next wait(const http::Head& head, EpochMs now);

  http::Url first_;
  http::Url to_;
  Milliseconds retry_after_max_;
  int redirects_ = 0;
  int times_busy_ = 0;
  int refusals_ = 0;
};

}  // namespace pi_mcp::transport
