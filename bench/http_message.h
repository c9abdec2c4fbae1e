// The least of HTTP/1.1 that a benchmark needs: messages with Content-Length or chunks, one after
// another.
#pragma once

#include <strings.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace bench {

struct HttpMessage {
  std::string_view head;
  std::string_view body;  // of chunks with their lengths
  std::size_t bytes = 0;  // of both; 0: not all of it has come
};

inline std::string_view header(std::string_view head, std::string_view name) {
  for (std::size_t line = 0; line < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", line), head.size());
    if (end - line > name.size() && head[line + name.size()] == ':' &&
        strncasecmp(head.data() + line, name.data(), name.size()) == 0) {
      std::string_view value = head.substr(line + name.size() + 1, end - line - name.size() - 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      return value;
    }
    line = end + 2;
  }
  return {};
}

// Of a body in chunks, all of them; 0: not all has come.
inline std::size_t chunks_bytes(std::string_view body) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t line_end = body.find("\r\n", at);
    if (line_end == std::string_view::npos) {
      return 0;
    }
    const std::size_t chunk = std::strtoul(body.data() + at, nullptr, 16);
    at = line_end + 2 + chunk + 2;
    if (at > body.size()) {
      return 0;
    }
    if (chunk == 0) {
      return at;
    }
  }
}

inline HttpMessage first_message(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    return {};
  }
  const std::string_view head = bytes.substr(0, end);
  const bool is_chunked = header(head, "Transfer-Encoding") == "chunked";
  const std::size_t chunks = is_chunked ? chunks_bytes(bytes.substr(end + 4)) : 0;
  if (is_chunked) {
    return chunks == 0 ? HttpMessage()
                       : HttpMessage{.head = head,
                                     .body = bytes.substr(end + 4, chunks),
                                     .bytes = end + 4 + chunks};
  }
  const std::string length(header(head, "Content-Length"));
  const std::size_t body = length.empty() ? 0 : std::strtoul(length.c_str(), nullptr, 10);
  if (bytes.size() < end + 4 + body) {
    return {};
  }
  return {.head = head, .body = bytes.substr(end + 4, body), .bytes = end + 4 + body};
}

}  // namespace bench
