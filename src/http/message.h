// The words of HTTP/1.1 that its users see: headers, the head of an answer, limits.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "http/address_rule.h"

namespace pi_mcp::http {

struct Header {
  std::string name;
  std::string value;
};

// In order; the same name may come more than once (WWW-Authenticate does).
using Headers = std::vector<Header>;

// The first header of this name (any case); empty when there is none.
[[nodiscard]] std::string_view find_header(const Headers& headers, std::string_view name);
// All of them.
[[nodiscard]] std::vector<std::string_view> find_headers(const Headers& headers,
                                                         std::string_view name);

// Of a Content-Type, without its parameters, as it was sent.
[[nodiscard]] std::string_view media_type(std::string_view content_type);

struct Head {
  int status = 0;
  Headers headers;

  [[nodiscard]] std::string_view find(std::string_view name) const {
    return find_header(headers, name);
  }
  [[nodiscard]] std::vector<std::string_view> find_all(std::string_view name) const {
    return find_headers(headers, name);
  }
  // The media type of Content-Type in lower case without parameters: "text/event-stream".
  [[nodiscard]] std::string content_type() const;
};

struct Request {
  std::string method = "GET";
  std::string url;  // http or https; "user:password@" becomes Basic credentials
  Headers headers;  // the client adds Host, Content-Length, Connection, Accept-Encoding
  std::string body;
  // May be sent once more when a reused connection turns out to be closed. Never for what must not
  // happen twice: whether the first one was seen cannot be known.
  bool may_repeat = false;
  // Set: a remote party named the url. What it leads to is checked before anything is sent, and the
  // address that was checked is the one that is connected to. Behind a proxy, which looks names up
  // itself, only what the url shows is.
  std::shared_ptr<const AddressRule> named_under;
  // From the request's last byte to the end of the answer's head; absent: the caller's affair.
  std::optional<Milliseconds> head_max;
};

// A whole answer.
struct Answer {
  Head head;
  std::string body;
};

// Whether a header may be sent: a token as its name, no line break or zero byte in its value
// (RFC 9110, 5.5).
[[nodiscard]] bool is_valid(const Header& header);

struct Limits {
  std::size_t header_bytes_max = std::size_t{64} << 10U;  // all lines of one head
};

}  // namespace pi_mcp::http
