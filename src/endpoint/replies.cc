#include "endpoint/replies.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace pi_mcp::endpoint {

io::HttpReply failed(int status, const rpc::Outgoing& failure) {
  return {.status = status,
          .headers = {{.name = "Content-Type", .value = "application/json"}},
          .body = failure.flat(),
          .more = {}};
}

io::HttpReply refused(int status, std::string_view why, http::Headers headers) {
  io::HttpReply reply = failed(status, rpc::failure({}, rpc::error_code::invalid_request, why));
  for (http::Header& header : headers) {
    reply.headers.push_back(std::move(header));
  }
  return reply;
}

http::Headers retry_after(std::string_view seconds) {
  return {{.name = "Retry-After", .value = std::string(seconds)}};
}

io::HttpReply plain(int status, std::string_view text) {
  return {.status = status,
          .headers = {{.name = "Content-Type", .value = "text/plain; charset=utf-8"}},
          .body = std::string(text),
          .more = {}};
}

http::Headers page_headers(const http::RequestHead& head) {
  const std::string_view origin = head.find("Origin");
  if (origin.empty()) {
    return {};
  }
  return {{.name = "Access-Control-Allow-Origin", .value = std::string(origin)},
          {.name = "Access-Control-Expose-Headers",
           .value = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate"},
          {.name = "Vary", .value = "Origin"}};
}

io::HttpReply preflight(const http::RequestHead& head) {
  io::HttpReply reply{.status = 204, .headers = page_headers(head), .body = "", .more = {}};
  reply.headers.push_back(
      {.name = "Access-Control-Allow-Methods", .value = "POST, GET, DELETE, OPTIONS"});
  // The names differ from tool to tool (Mcp-Param-...), so it gets those that it asked for.
  reply.headers.push_back({.name = "Access-Control-Allow-Headers",
                           .value = std::string(head.find("Access-Control-Request-Headers"))});
  reply.headers.push_back({.name = "Access-Control-Max-Age", .value = "600"});
  return reply;
}

bool accepts(std::string_view accept, std::string_view type) {
  const std::string_view family = type.substr(0, type.find('/') + 1);
  while (!accept.empty()) {
    const std::size_t comma = std::min(accept.find(','), accept.size());
    const std::string_view each = http::media_type(accept.substr(0, comma));
    if (ascii::is_same(each, type) || each == "*/*" ||
        (each.ends_with('*') && ascii::is_same(each.substr(0, each.size() - 1), family))) {
      return true;
    }
    accept.remove_prefix(std::min(comma + 1, accept.size()));
  }
  return false;
}

}  // namespace pi_mcp::endpoint
