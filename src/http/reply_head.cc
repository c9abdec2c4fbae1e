#include "http/reply_head.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace pi_mcp::http {
namespace {

struct Reason {
  int status;
  std::string_view text;
};

constexpr std::array reasons = {
    Reason{.status = 200, .text = "OK"},
    Reason{.status = 202, .text = "Accepted"},
    Reason{.status = 204, .text = "No Content"},
    Reason{.status = 400, .text = "Bad Request"},
    Reason{.status = 401, .text = "Unauthorized"},
    Reason{.status = 403, .text = "Forbidden"},
    Reason{.status = 404, .text = "Not Found"},
    Reason{.status = 405, .text = "Method Not Allowed"},
    Reason{.status = 406, .text = "Not Acceptable"},
    Reason{.status = 408, .text = "Request Timeout"},
    Reason{.status = 409, .text = "Conflict"},
    Reason{.status = 413, .text = "Content Too Large"},
    Reason{.status = 414, .text = "URI Too Long"},
    Reason{.status = 415, .text = "Unsupported Media Type"},
    Reason{.status = 429, .text = "Too Many Requests"},
    Reason{.status = 431, .text = "Request Header Fields Too Large"},
    Reason{.status = 500, .text = "Internal Server Error"},
    Reason{.status = 503, .text = "Service Unavailable"},
    Reason{.status = 505, .text = "HTTP Version Not Supported"},
};

}  // namespace

std::string_view reason_of(int status) {
  const auto* const found = std::ranges::find(reasons, status, &Reason::status);
  return found == reasons.end() ? "" : found->text;
}

std::string reply_head(int status, const Headers& headers, const ReplyFraming& framing) {
  constexpr std::size_t bytes_usual = 512;
  std::string head;
  head.reserve(bytes_usual);
  head.append("HTTP/1.1 ").append(std::to_string(status)).append(" ").append(reason_of(status));
  head += "\r\n";
  for (const Header& header : headers) {
    if (is_valid(header)) {
      head.append(header.name).append(": ").append(header.value).append("\r\n");
    }
  }
  if (framing.length) {
    head.append("Content-Length: ").append(std::to_string(*framing.length)).append("\r\n");
  } else if (framing.chunked) {
    head += "Transfer-Encoding: chunked\r\n";
  }
  head += framing.keeps_alive ? "\r\n" : "Connection: close\r\n\r\n";
  return head;
}

std::string chunk_line(std::size_t bytes) {
  std::array<char, 2 * sizeof bytes> digits{};
  constexpr int hexadecimal = 16;
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), bytes, hexadecimal);
  return std::string(digits.data(), written.ptr) + "\r\n";
}

}  // namespace pi_mcp::http
