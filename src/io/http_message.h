// The words of HTTP/1.1 that its users see: headers, the head of an answer, limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::io {

struct HttpHeader {
  std::string name;
  std::string value;
};

// In order; the same name may come more than once (WWW-Authenticate does).
using HttpHeaders = std::vector<HttpHeader>;

struct HttpHead {
  int status = 0;
  HttpHeaders headers;

  // The first header of this name (any case); empty when there is none.
  [[nodiscard]] std::string_view find(std::string_view name) const;
  // All of them.
  [[nodiscard]] std::vector<std::string_view> find_all(std::string_view name) const;
  // The media type of Content-Type in lower case without parameters: "text/event-stream".
  [[nodiscard]] std::string content_type() const;
};

// Whether a header may be sent: a token as its name, no line break or zero byte in its value
// (RFC 9110, 5.5).
[[nodiscard]] bool is_valid(const HttpHeader& header);

struct HttpLimits {
  std::size_t header_bytes_max = std::size_t{64} << 10U;  // all lines of one head
};

}  // namespace pi_mcp::io
