#include "endpoint/replies.h"

#include <utility>

#include "base/text.h"

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
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  for (const std::string_view part : text::split(accept, ',')) {
    const std::string each = text::lower(text::trim(part.substr(0, part.find(';'))));
    if (each == type || each == family || each == "*/*") {
      return true;
    }
  }
  return false;
}

}  // namespace pi_mcp::endpoint
